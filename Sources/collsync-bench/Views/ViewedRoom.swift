import SyncLayout
import SyncModel
import SyncWire

/// A room of items of mixed sizes, and how it is viewed: the same spec for all, a viewport each.
struct ViewedRoom {
    /// The layout, as JSON.
    let layout: String
    let items: Int

    /// A telephone's screen.
    static let viewport = ListSize(width: 375, height: 667)

    /// - Parameter kind: a waterfall has three columns.
    init(_ kind: LayoutSpec.Kind, items: Int) {
        let columns = kind == .waterfall ? #","columnCount":3"# : ""
        layout = #"{"layout":{"kind":"\#(kind.rawValue)"\#(columns)}}"#
        self.items = items
    }

    static func name() throws -> RoomName {
        guard let name = RoomName("views") else { throw BenchError("a room has a name") }
        return name
    }

    /// An item with a title and a size.
    static func item(_ number: Int) throws -> Item {
        var random = SplitMix(state: UInt64(number))
        let title = Field(name: Identifier("title"), value: .text("item \(number)"))
        return Item(
            id: try EngineBenchmark.id(number),
            content: try ItemContent(size: LayoutBenchmark.size(&random), fields: [title]))
    }

    /// Makes the room on a server.
    ///
    /// - Returns: its revision.
    func fill(on port: UInt16) throws -> Revision {
        let talk = Talk(try Socket(port: port))
        try talk.hello()
        return try talk.fill(try ViewedRoom.name(), items: items, ViewedRoom.item).revision
    }
}

/// A view that a connection which says one thing after the other has open.
final class TalkView {
    private let talk: Talk
    private let handle: RoomHandle
    private(set) var bounds: ListRect
    private(set) var contentSize = ListSize(width: 0, height: 0)
    private(set) var elementCount = 0
    private(set) var last: (number: UInt64, revision: Revision) = (0, 0)

    /// Joins the room as one who only views.
    init(_ talk: Talk, as client: String) throws {
        self.talk = talk
        handle = try talk.join(try ViewedRoom.name(), as: client, viewOnly: true).handle
        bounds = ListRect(width: ViewedRoom.viewport.width, height: ViewedRoom.viewport.height)
    }

    /// Opens the view, somewhere along the content, and waits for the screen.
    func open(_ layout: String, at y: Double = 0, overscan: Double = 0) throws {
        bounds.y = y
        try show(
            ViewRequest(
                room: handle, view: 1, layout: layout, bounds: bounds, overscan: overscan))
    }

    /// Scrolls, and waits for what comes on the screen.
    func scroll(by distance: Double) throws {
        bounds.y += distance
        try show(ViewRequest(room: handle, view: 1, bounds: bounds, seen: last.number))
    }

    private func show(_ request: ViewRequest) throws {
        try talk.say(.view(request))
        while try !takeNext() {}
    }

    /// Takes what has come behind the screen: a large one comes in several updates.
    func takeRest() throws {
        while !talk.hasHeardAll { _ = try takeNext() }
    }

    /// - Returns: whether it was an update.
    private func takeNext() throws -> Bool {
        switch try talk.hear() {
        case .viewUpdate(let update):
            take(update)
            return true
        case .error(let error): throw BenchError("the server refuses a view: \(error.text)")
        default: return false
        }
    }

    private func take(_ update: ViewUpdate) {
        last = (update.number, update.revision)
        elementCount += update.appeared.count - update.disappeared.count
        if let size = update.contentSize { contentSize = size }
        bounds.x += update.shift?.x ?? 0
        bounds.y += update.shift?.y ?? 0
    }
}
