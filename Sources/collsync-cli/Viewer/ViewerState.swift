import CollSync
import SyncModel
import SyncPicture

/// The state of a view on a terminal. It handles keys, window sizes and events of the server. It
/// has no I/O.
///
/// Invariants:
/// 1. The window's last row is the status line; the rows before it show the view.
/// 2. ``origin`` is the origin of the view's bounds once all ``Request``s so far have been done in
///    order.
struct ViewerState: Sendable {
    /// A request to the view.
    enum Request: Hashable, Sendable {
        case scroll(ListPoint)
        /// Scrolls to a point, and on to where the layout wants items to come to rest.
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
        /// The connection is lost, for a reason, and is being restored.
        case interrupted(String)
    }

    let room: String
    let titles: TitleField
    let scale: CharacterScale
    private(set) var spec: LayoutSpec
    private(set) var window: ScreenSize
    /// The top left corner of the screen, in the content's coordinates.
    private(set) var origin: ListPoint
    private(set) var contentSize = ListSize(width: 0, height: 0)
    private(set) var revision: Revision = 0
    /// The item that keys act on. It may be off the screen, or no longer in the room.
    private(set) var selected: Identifier?
    var connection = Connection.connected
    /// The item that is being dragged.
    var carried: CarriedItem?
    /// Why a request failed; cleared by the next key.
    var notice: String?
    private var elements: [UInt64: ViewElement] = [:]
    /// Whether the view has received its first update.
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

    /// The part of the content that is on the screen.
    var bounds: ListRect {
        let character = character
        return ListRect(
            x: origin.x, y: origin.y, width: character.width * Double(window.columns),
            height: character.height * Double(viewRows))
    }

    /// How far beyond the bounds elements are needed: keys can move to the next ones.
    var overscan: Double { max(bounds.width, bounds.height) }

    // MARK: Elements

    /// The elements in drawing order.
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

    /// The height of the part of the screen that pinned headers cover, from the top.
    var pinnedHeight: Double {
        let covered = elements.values.map { shown in
            guard case .supplementary = shown.element.identity, shown.element.zIndex > 0,
                shown.element.frame.y <= origin.y
            else { return 0.0 }
            return shown.element.frame.maxY - origin.y
        }
        return min(max(0, covered.max() ?? 0), bounds.height / 2)
    }

    /// Whether the room has no items, as far as the view shows.
    var isEmpty: Bool {
        isShown && cells.isEmpty && contentSize.width <= bounds.width
            && contentSize.height <= bounds.height
    }

    var selectedCell: ViewerCell? { cells.first { $0.item.id == selected } }

    /// Applies a change of the view.
    mutating func take(_ change: ViewChange) -> [Request] {
        for entry in change.disappeared { elements[entry.from.key] = nil }
        for entry in change.changed { elements[entry.to.key] = entry.to }
        for entry in change.appeared { elements[entry.to.key] = entry.to }
        revision = change.revision
        isShown = true
        if let size = change.contentSize { contentSize = size }
        if let shift = change.shift {
            origin += shift
            carried?.point += shift
        }
        origin = clamped(origin)
        // The selected item may no longer be selectable.
        if let cell = selectedCell, !cell.isSelectable { selected = nil }
        // A key that was pressed before this change arrived did not take it into account.
        return change.bounds.origin == origin ? [] : [.scroll(origin)]
    }

    /// Handles a new window size.
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

    /// Scrolls as little as needed to make a rectangle visible, or its beginning if it is larger
    /// than the screen.
    mutating func reveal(_ frame: ListRect) -> [Request] {
        let bounds = bounds
        let x = min(frame.x, max(origin.x, frame.maxX - bounds.width))
        let y = min(frame.y - pinnedHeight, max(origin.y, frame.maxY - bounds.height))
        return scroll(to: ListPoint(x: x, y: y))
    }

    /// The nearest point to which the content can be scrolled.
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

    /// An item without a highlight can't be selected.
    var isSelectable: Bool { item.content.flags.isSuperset(of: [.selectable, .highlightable]) }

    init?(_ shown: ViewElement) {
        guard case .cell(let path) = shown.element.identity, case .item(let item) = shown.content
        else { return nil }
        (self.path, self.item, frame) = (path, item, shown.element.frame)
    }
}

extension LayoutElement.Identity {
    /// The drawing order of elements with the same `zIndex`.
    fileprivate var rank: Int {
        switch self {
        case .decoration: 0
        case .cell: 1
        case .supplementary: 2
        case .itemSupplementary: 3
        }
    }
}
