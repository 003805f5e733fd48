import CollSync
import SyncModel

/// What a view shows on a terminal, and what it is to show next: what keys, the window and the
/// server make of it. It has no I/O.
///
/// Invariants:
/// 1. The window's last row says where one is; those before show the view.
/// 2. ``origin`` is where the view's bounds are, or will be once all ``Request``s have been done in
///    order.
struct ViewerState: Sendable {
    /// What is to be asked of the view.
    enum Request: Hashable, Sendable {
        case scroll(ListPoint)
        /// To scroll there, and on to where the layout wants items to come to rest.
        case snap(ListPoint)
        case resize(ListSize)
        case change(LayoutSpec)
        case beginDrag(Identifier)
        case drag(ListPoint)
        case endDrag
        case cancelDrag
    }

    enum Connection: Hashable, Sendable {
        case connected
        /// It is lost, for a reason, and made again.
        case interrupted(String)
    }

    let room: String
    let titles: TitleField
    let scale: CharacterScale
    private(set) var spec: LayoutSpec
    private(set) var window: ScreenSize
    /// The top left corner of what is on the screen, in the content's coordinates.
    private(set) var origin: ListPoint
    private(set) var contentSize = ListSize(width: 0, height: 0)
    private(set) var revision: Revision = 0
    /// The item that keys are about. It need not be on the screen, or in the room any more.
    private(set) var selected: Identifier?
    var connection = Connection.connected
    /// The item that is carried.
    var held: Held?
    /// What went otherwise than was asked for, until the next key.
    var notice: String?
    private var elements: [UInt64: ViewElement] = [:]
    /// Whether the view has shown something yet.
    private var isShown = false

    init(
        room: String, titles: TitleField, spec: LayoutSpec, scale: CharacterScale,
        window: ScreenSize, origin: ListPoint = ListPoint()
    ) {
        self.room = room
        self.titles = titles
        self.spec = spec
        self.scale = scale
        self.window = window
        self.origin = origin
    }

    // MARK: Sizes

    /// The rows that show the view.
    var viewRows: Int { max(1, window.rows - 1) }

    /// The size of a character in points.
    var character: ListSize { scale.character(columns: window.columns, rows: viewRows) }

    /// What is on the screen, in the content's coordinates.
    var bounds: ListRect {
        let character = character
        return ListRect(
            x: origin.x, y: origin.y, width: character.width * Double(window.columns),
            height: character.height * Double(viewRows))
    }

    /// How far beyond the bounds elements are wanted: the next ones, for keys that go there.
    var overscan: Double { max(bounds.width, bounds.height) }

    // MARK: What is there

    /// The elements in the order in which they are drawn.
    var drawn: [ViewElement] {
        elements.values.sorted {
            ($0.element.zIndex, $0.element.identity.rank, $0.key)
                < ($1.element.zIndex, $1.element.identity.rank, $1.key)
        }
    }

    /// The cells on and near the screen, in the room's order.
    var cells: [ViewerCell] {
        elements.values.compactMap(ViewerCell.init).sorted { $0.path < $1.path }
    }

    /// How much of the screen's top headers cover that stay there.
    var pinnedHeight: Double {
        let covered = elements.values.map { shown in
            guard case .supplementary = shown.element.identity, shown.element.zIndex > 0,
                shown.element.frame.y <= origin.y
            else { return 0.0 }
            return shown.element.frame.maxY - origin.y
        }
        return min(max(0, covered.max() ?? 0), bounds.height / 2)
    }

    /// Whether the room has no items, as far as can be seen.
    var isEmpty: Bool {
        isShown && cells.isEmpty && contentSize.width <= bounds.width
            && contentSize.height <= bounds.height
    }

    var selectedCell: ViewerCell? { cells.first { $0.item.id == selected } }

    /// Takes in what became different.
    mutating func take(_ change: ViewChange) -> [Request] {
        for entry in change.disappeared { elements[entry.from.key] = nil }
        for entry in change.changed { elements[entry.to.key] = entry.to }
        for entry in change.appeared { elements[entry.to.key] = entry.to }
        revision = change.revision
        isShown = true
        if let size = change.contentSize { contentSize = size }
        if let shift = change.shift {
            origin += shift
            held?.point += shift
        }
        origin = clamped(origin)
        // What was selected may not be any more.
        if let cell = selectedCell, !cell.isSelectable { selected = nil }
        // A key that was pressed while the change was on its way knew nothing of it.
        return change.bounds.origin == origin ? [] : [.scroll(origin)]
    }

    /// Has the window another size.
    mutating func resize(to window: ScreenSize) -> [Request] {
        guard window != self.window else { return [] }
        self.window = window
        return [.resize(bounds.size)]
    }

    // MARK: Keys

    mutating func scroll(to point: ListPoint, snapping: Bool = false) -> [Request] {
        let point = clamped(point)
        guard point != origin else { return [] }
        origin = point
        return [snapping ? .snap(point) : .scroll(point)]
    }

    mutating func select(_ cell: ViewerCell) -> [Request] {
        selected = cell.item.id
        return reveal(cell.frame)
    }

    mutating func deselect() -> [Request] {
        selected = nil
        return []
    }

    mutating func change(to kind: LayoutSpec.Kind) -> [Request] {
        spec.kind = kind
        return [.change(spec)]
    }

    /// Scrolls no farther than is needed to have a place on the screen, its beginning if it is
    /// larger.
    mutating func reveal(_ frame: ListRect) -> [Request] {
        let bounds = bounds
        let x = min(frame.x, max(origin.x, frame.maxX - bounds.width))
        let y = min(frame.y - pinnedHeight, max(origin.y, frame.maxY - bounds.height))
        return scroll(to: ListPoint(x: x, y: y))
    }

    /// The nearest place to which the content can be scrolled.
    private func clamped(_ point: ListPoint) -> ListPoint {
        let bounds = bounds
        return ListPoint(
            x: min(max(0, point.x), max(0, contentSize.width - bounds.width)),
            y: min(max(0, point.y), max(0, contentSize.height - bounds.height)))
    }
}

/// An item on or near the screen.
struct ViewerCell: Sendable {
    let path: ItemPath
    let item: Item
    let frame: ListRect

    /// Without a highlight there is no selection.
    var isSelectable: Bool { item.content.flags.isSuperset(of: [.selectable, .highlightable]) }

    init?(_ shown: ViewElement) {
        guard case .cell(let path) = shown.element.identity, case .item(let item) = shown.content
        else { return nil }
        (self.path, self.item, frame) = (path, item, shown.element.frame)
    }
}

extension LayoutElement.Identity {
    /// What lies over what, at one `zIndex`.
    fileprivate var rank: Int {
        switch self {
        case .decoration: 0
        case .cell: 1
        case .supplementary: 2
        case .itemSupplementary: 3
        }
    }
}
