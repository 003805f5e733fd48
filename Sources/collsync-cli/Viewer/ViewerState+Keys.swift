import CollSync
import SyncModel

extension ViewerState {
    /// What a key causes.
    enum Answer: Hashable, Sendable {
        case requests([Request])
        /// Draws everything again.
        case redraw
        /// Ends the viewer.
        case end
    }

    /// Handles a key.
    mutating func press(_ key: Key) -> Answer {
        notice = nil
        if let carried { return pressCarrying(carried, key) }
        switch key {
        case .interrupt, .character("q"): return .end
        case .redraw: return .redraw
        case .up, .character("k"): return .requests(step(y: -1))
        case .down, .character("j"): return .requests(step(y: 1))
        case .left, .character("h"): return .requests(step(x: -1))
        case .right: return .requests(step(x: 1))
        case .pageUp: return .requests(scrollByScreens(-1))
        case .pageDown, .character(" "): return .requests(scrollByScreens(1))
        case .home, .character("g"): return .requests(scrollToBeginning())
        case .end, .character("G"): return .requests(scrollToEnd())
        case .enter, .character("m"): return .requests(pickUp())
        case .tab, .character("n"): return .requests(selectNext())
        case .backTab, .character("p"): return .requests(selectPrevious())
        case .escape: return .requests(deselect())
        case .character("l"): return .requests(change(to: spec.kind.next))
        case .character, .control, .backspace, .delete: return .requests([])
        }
    }

    // MARK: Scrolling

    /// The distance of one scroll step, in points.
    private var line: Double { character.height }

    /// Whether keys scroll to the side. In `line` that depends on the layout's direction; in
    /// others, the content must extend beyond the screen only to the side.
    private var scrollsSideways: Bool {
        if snaps { return spec.scrollDirection != .vertical }
        return contentSize.height <= bounds.height && contentSize.width > bounds.width
    }

    /// Whether the content begins at its right end.
    private var isMirrored: Bool { spec.rtl && scrollsSideways }

    private var beginning: ListPoint {
        isMirrored ? ListPoint(x: contentSize.width) : ListPoint()
    }

    private var end: ListPoint {
        if isMirrored { return ListPoint() }
        return scrollsSideways ? ListPoint(x: contentSize.width) : ListPoint(y: contentSize.height)
    }

    /// Whether scrolling ends with an item in the middle.
    private var snaps: Bool { spec.kind == .line }

    mutating func scrollToBeginning() -> [Request] { scroll(to: beginning, snapping: snaps) }

    mutating func scrollToEnd() -> [Request] { scroll(to: end, snapping: snaps) }

    private mutating func scrollBy(x: Double = 0, y: Double = 0) -> [Request] {
        scroll(to: ListPoint(x: origin.x + x, y: origin.y + y), snapping: snaps)
    }

    /// Scrolls by a line, or by an item if items come to rest in the middle.
    private mutating func step(x: Double = 0, y: Double = 0) -> [Request] {
        let isSideways = scrollsSideways
        let direction = isSideways ? x : y
        guard snaps, direction != 0 else { return scrollBy(x: x * line, y: y * line) }
        let middle = bounds.center
        let ahead = cells.map { cell in
            let center = cell.frame.center
            return isSideways ? center.x - middle.x : center.y - middle.y
        }.filter { $0 * direction > 0.5 }
        guard let distance = ahead.min(by: { abs($0) < abs($1) }) else { return [] }
        return isSideways ? scrollBy(x: distance) : scrollBy(y: distance)
    }

    /// Scrolls by screens; one line of the old screen stays visible.
    mutating func scrollByScreens(_ count: Double) -> [Request] {
        let bounds = bounds
        return scrollsSideways
            ? scrollBy(x: count * max(line, bounds.width - line))
            : scrollBy(y: count * max(line, bounds.height - line))
    }

    // MARK: Selecting

    private mutating func selectNext() -> [Request] {
        let cells = cells
        guard let index = cells.firstIndex(where: { $0.item.id == selected }) else {
            return cells.first { $0.isSelectable && isOnScreen($0) }.map { select($0) } ?? []
        }
        return cells[(index + 1)...].first(where: \.isSelectable).map { select($0) } ?? []
    }

    private mutating func selectPrevious() -> [Request] {
        let cells = cells
        guard let index = cells.firstIndex(where: { $0.item.id == selected }) else {
            return cells.last { $0.isSelectable && isOnScreen($0) }.map { select($0) } ?? []
        }
        return cells[..<index].last(where: \.isSelectable).map { select($0) } ?? []
    }

    private func isOnScreen(_ cell: ViewerCell) -> Bool { cell.frame.intersects(bounds) }
}

extension LayoutSpec.Kind {
    /// The order in which a key switches between layouts; those for many items come first.
    private static let order: [Self] = [.flow, .waterfall, .mosaic, .columnFlow, .line, .circle]

    fileprivate var next: Self {
        let index = Self.order.firstIndex(of: self) ?? 0
        return Self.order[(index + 1) % Self.order.count]
    }
}
