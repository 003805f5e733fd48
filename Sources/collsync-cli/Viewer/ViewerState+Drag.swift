import CollSync
import SyncModel

/// Dragging by keyboard: a key picks the selected item up, arrows carry it over its neighbours, and
/// a key drops it.
extension ViewerState {
    /// An item that is being dragged.
    struct CarriedItem: Hashable, Sendable {
        let item: Identifier
        /// The point to which it is dragged, in the content's coordinates.
        var point: ListPoint
        /// Whether it was dropped, and the answer is pending.
        var isDropped = false
    }

    /// Handles a key during a drag.
    mutating func pressCarrying(_ carried: CarriedItem, _ key: Key) -> Answer {
        switch key {
        case .interrupt, .character("q"): return .end
        case .redraw: return .redraw
        case _ where carried.isDropped: return .requests([])
        case .up, .character("k"): return .requests(carry(carried, .up))
        case .down, .character("j"): return .requests(carry(carried, .down))
        case .left, .character("h"): return .requests(carry(carried, .left))
        case .right: return .requests(carry(carried, .right))
        case .pageUp: return .requests(carry(carried) { $0.scrollByScreens(-1) })
        case .pageDown, .character(" "): return .requests(carry(carried) { $0.scrollByScreens(1) })
        case .home, .character("g"): return .requests(carry(carried) { $0.scrollToBeginning() })
        case .end, .character("G"): return .requests(carry(carried) { $0.scrollToEnd() })
        case .enter, .character("m"):
            self.carried?.isDropped = true
            return .requests([.endDrag])
        case .escape:
            self.carried = nil
            return .requests([.cancelDrag])
        case .tab, .backTab, .character, .control, .backspace, .delete: return .requests([])
        }
    }

    mutating func pickUp() -> [Request] {
        guard let cell = selectedCell else { return [] }
        carried = CarriedItem(item: cell.item.id, point: cell.frame.center)
        return [.beginDrag(cell.item.id)]
    }

    /// Records the end of a drag, with the reason if the user did not ask for it.
    mutating func dragDidEnd(_ reason: String?) {
        if carried != nil, let reason { notice = reason }
        carried = nil
    }

    // MARK: Carrying

    /// Carries the item over its neighbour, to the neighbour's far end: there it takes the
    /// neighbour's place for any sizes.
    private mutating func carry(_ carried: CarriedItem, _ direction: Direction) -> [Request] {
        guard let neighbour = neighbour(of: carried, direction) else { return [] }
        let point = direction.farEnd(of: neighbour)
        self.carried?.point = point
        return reveal(neighbour) + [.drag(point)]
    }

    /// Scrolls with the item, which keeps its place on the screen.
    private mutating func carry(
        _ carried: CarriedItem, scrolling: (inout ViewerState) -> [Request]
    ) -> [Request] {
        let before = origin
        let requests = scrolling(&self)
        guard origin != before else { return [] }
        let point = ListPoint(
            x: carried.point.x + origin.x - before.x, y: carried.point.y + origin.y - before.y)
        self.carried?.point = point
        return requests + [.drag(point)]
    }

    /// The nearest place in a direction where the item can go: another cell, or an element of a
    /// section without cells. Places straight ahead come first.
    private func neighbour(of carried: CarriedItem, _ direction: Direction) -> ListRect? {
        let places = cells.filter { $0.item.id != carried.item }.map(\.frame) + emptySections
        let ahead = places.compactMap {
            frame -> (frame: ListRect, ahead: Double, beside: Double)? in
            let ahead = direction.distance(from: carried.point, to: frame.center)
            return ahead > 0.5 ? (frame, ahead, direction.gap(beside: carried.point, frame)) : nil
        }
        let straight = ahead.filter { $0.beside == 0 }.min { $0.ahead < $1.ahead }
        return (straight ?? ahead.min { $0.ahead + 4 * $0.beside < $1.ahead + 4 * $1.beside })?
            .frame
    }

    /// The elements of visible sections without cells, such as headers.
    private var emptySections: [ListRect] {
        let full = Set(cells.map(\.path.section))
        return drawn.compactMap { shown in
            switch shown.element.identity {
            case .supplementary(_, let section), .decoration(_, let section):
                full.contains(section) ? nil : shown.element.frame
            case .cell, .itemSupplementary: nil
            }
        }
    }

    private enum Direction {
        case up, down, left, right

        /// How far ahead a point is.
        func distance(from point: ListPoint, to other: ListPoint) -> Double {
            switch self {
            case .up: point.y - other.y
            case .down: other.y - point.y
            case .left: point.x - other.x
            case .right: other.x - point.x
            }
        }

        /// The distance between a rectangle and the line straight ahead.
        func gap(beside point: ListPoint, _ rect: ListRect) -> Double {
            switch self {
            case .up, .down: max(0, rect.x - point.x, point.x - rect.maxX)
            case .left, .right: max(0, rect.y - point.y, point.y - rect.maxY)
            }
        }

        /// The middle of the rectangle's far side, just inside it.
        func farEnd(of rect: ListRect) -> ListPoint {
            let margin = min(0.5, rect.width / 2, rect.height / 2)
            return switch self {
            case .up: ListPoint(x: rect.center.x, y: rect.y + margin)
            case .down: ListPoint(x: rect.center.x, y: rect.maxY - margin)
            case .left: ListPoint(x: rect.x + margin, y: rect.center.y)
            case .right: ListPoint(x: rect.maxX - margin, y: rect.center.y)
            }
        }
    }
}
