import SeededRandom
import SyncLayout
import SyncModel
import SyncWire

/// Messages about drags.
extension SplitMix64 {
    mutating func drag() throws -> Drag {
        let step: Drag.Step =
            switch pick(DragStepKind.self) {
            case .begin: .begin(try identifier(), view: uint32(), isShared: chance(50))
            case .update:
                .update(ListPoint(x: length(), y: length()), number: number(), seen: number())
            case .end: .end(counter: number())
            case .cancel: .cancel
            }
        return Drag(room: uint32(), number: uint32(), step)
    }

    mutating func dragTarget() throws -> DragTarget {
        DragTarget(
            room: uint32(), number: uint32(), update: number(), target: try dropTarget())
    }

    mutating func draggedItem() throws -> DraggedItem {
        DraggedItem(item: try identifier(), target: try dropTarget())
    }

    private mutating func dropTarget() throws -> DropTarget? {
        guard chance(70) else { return nil }
        return DropTarget(
            section: try identifier(), after: chance(50) ? try identifier() : nil)
    }
}
