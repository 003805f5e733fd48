import CollSync
import SyncModel

/// Dragging by keyboard: the selected item is picked up, carried over its neighbours, and dropped.
extension ViewerState {
    /// An item that is carried.
    struct Held: Hashable, Sendable {
        let item: Identifier
        /// Where it is held, in the content's coordinates.
        var point: ListPoint
        /// Whether it was let go of, and the answer is awaited.
        var isDropped = false
    }

    /// Does what a key means while an item is carried.
    mutating func pressCarrying(_ held: Held, _ key: Key) -> Answer {
        switch key {
        case .interrupt, .character("q"): return .end
        case .redraw: return .redraw
        case _ where held.isDropped: return .requests([])
        case .up, .character("k"): return .requests(carry(held, .up))
        case .down, .character("j"): return .requests(carry(held, .down))
        case .left, .character("h"): return .requests(carry(held, .left))
        case .right: return .requests(carry(held, .right))
        case .pageUp: return .requests(carry(held) { $0.scrollByScreens(-1) })
        case .pageDown, .character(" "): return .requests(carry(held) { $0.scrollByScreens(1) })
        case .home, .character("g"): return .requests(carry(held) { $0.scrollToBeginning() })
        case .end, .character("G"): return .requests(carry(held) { $0.scrollToEnd() })
        case .enter, .character("m"):
            self.held?.isDropped = true
            return .requests([.endDrag])
        case .escape:
            self.held = nil
            return .requests([.cancelDrag])
        case .tab, .backTab, .character: return .requests([])
        }
    }

    mutating func pickUp() -> [Request] {
        guard let cell = selectedCell else { return [] }
        held = Held(item: cell.item.id, point: cell.frame.center)
        return [.beginDrag(cell.item.id)]
    }

    /// Takes note that a drag is over, and why, if that was not wanted.
    mutating func dragDidEnd(_ reason: String?) {
        if held != nil, let reason { notice = reason }
        held = nil
    }

    // MARK: Carrying

    /// Carries the item over its neighbour: to the far end of that, where it takes the neighbour's
    /// place whatever their sizes are.
    private mutating func carry(_ held: Held, _ direction: Direction) -> [Request] {
        guard let neighbour = neighbour(of: held, direction) else { return [] }
        let point = direction.farEnd(of: neighbour)
        self.held?.point = point
        return reveal(neighbour) + [.drag(point)]
    }

    /// Scrolls with the item, which stays where it is on the screen.
    private mutating func carry(
        _ held: Held, scrolling: (inout ViewerState) -> [Request]
    ) -> [Request] {
        let before = origin
        let requests = scrolling(&self)
        guard origin != before else { return [] }
        let point = ListPoint(
            x: held.point.x + origin.x - before.x, y: held.point.y + origin.y - before.y)
        self.held?.point = point
        return requests + [.drag(point)]
    }

    /// The nearest place in a direction that can take the item: another cell, or what a section
    /// without cells has. What lies straight ahead comes first.
    private func neighbour(of held: Held, _ direction: Direction) -> ListRect? {
        let places = cells.filter { $0.item.id != held.item }.map(\.frame) + emptySections
        let ahead = places.compactMap {
            frame -> (frame: ListRect, ahead: Double, beside: Double)? in
            let ahead = direction.distance(from: held.point, to: frame.center)
            return ahead > 0.5 ? (frame, ahead, direction.gap(beside: held.point, frame)) : nil
        }
        let straight = ahead.filter { $0.beside == 0 }.min { $0.ahead < $1.ahead }
        return (straight ?? ahead.min { $0.ahead + 4 * $0.beside < $1.ahead + 4 * $1.beside })?
            .frame
    }

    /// Where sections are that have headers and the like, but no cells.
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

        /// How far ahead a point lies.
        func distance(from point: ListPoint, to other: ListPoint) -> Double {
            switch self {
            case .up: point.y - other.y
            case .down: other.y - point.y
            case .left: point.x - other.x
            case .right: other.x - point.x
            }
        }

        /// How far a rectangle is from lying straight ahead.
        func gap(beside point: ListPoint, _ rect: ListRect) -> Double {
            switch self {
            case .up, .down: max(0, rect.x - point.x, point.x - rect.maxX)
            case .left, .right: max(0, rect.y - point.y, point.y - rect.maxY)
            }
        }

        /// The point within a rectangle that is farthest ahead, in the middle of that side.
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
