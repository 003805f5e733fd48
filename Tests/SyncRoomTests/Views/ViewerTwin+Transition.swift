import LayoutTwin
import SyncLayout
import SyncModel
import SyncWire

extension ViewerTwin {
    /// What is wrong with where items begin that appear as one layout becomes another: those that
    /// were in the room before begin where they were in the layout before, as far from the bounds
    /// as they were there.
    ///
    /// Updates that would have said nothing were not made, so that the layout before is any of
    /// ``looks``.
    ///
    /// - Parameters:
    ///   - snapshot: the room as the update shows it.
    ///   - old: the room as it was shown before.
    func beginnings(
        in update: ViewUpdate, _ snapshot: Snapshot, before old: Snapshot?
    ) throws -> String? {
        guard update.isTransition, let old else { return nil }
        let known = Set(old.sections.flatMap { $0.items.map(\.id) })
        let layouts = try looks.map { ($0, try $0.layout(of: snapshot)) }
        for appeared in update.appeared {
            // The layout before may have had no supplementaries.
            guard case .cell = appeared.element.identity, known.contains(appeared.id) else {
                continue
            }
            let initial = appeared.initial.applied(to: appeared.element)
            let isRight = layouts.contains { look, layout in
                let identity = appeared.element.identity
                guard var element = layout.element(identity, bounds: look.bounds) else {
                    return false
                }
                element.frame.x += update.shift?.x ?? 0
                element.frame.y += update.shift?.y ?? 0
                return isSame(element, initial)
            }
            if !isRight { return "\(appeared.id) begins at \(initial)" }
        }
        return nil
    }

    /// Where things begin is a sum of the shift, which may be made in another order.
    private func isSame(_ left: LayoutElement, _ right: LayoutElement) -> Bool {
        left.identity == right.identity && left.zIndex == right.zIndex
            && left.isHidden == right.isHidden && isSame(left.alpha, right.alpha)
            && isSame(left.scale, right.scale) && isSame(left.frame.x, right.frame.x)
            && isSame(left.frame.y, right.frame.y) && isSame(left.frame.width, right.frame.width)
            && isSame(left.frame.height, right.frame.height)
    }

    private func isSame(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 1e-6 }
}
