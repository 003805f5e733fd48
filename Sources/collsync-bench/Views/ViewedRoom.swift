import SeededRandom
import SyncLayout
import SyncModel
import SyncWire

/// A room of items of mixed sizes, and its layout: the same spec for all viewers, with a viewport
/// each.
struct ViewedRoom {
    let layout: ViewLayout
    let items: Int

    /// The screen of a telephone.
    static let viewport = ListSize(width: 375, height: 667)

    /// - Parameter kind: the layout; a waterfall has three columns.
    init(_ kind: LayoutSpec.Kind, items: Int) {
        layout = ViewLayout(kind) { if kind == .waterfall { $0.columnCount = 3 } }
        self.items = items
    }

    static func name() throws -> RoomName {
        guard let name = RoomName("views") else { throw BenchError("a room has a name") }
        return name
    }

    /// An item with a title and a size.
    static func item(_ number: Int) throws -> Item {
        var random = SplitMix64(seed: UInt64(number))
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
        return try fill(by: talk)
    }

    func fill(by talk: Talk) throws -> Revision {
        try talk.fill(try ViewedRoom.name(), items: items, ViewedRoom.item).revision
    }
}

/// A view on a connection that sends one message after the other.
final class TalkView {
    private let talk: Talk
    private let handle: RoomHandle
    private(set) var bounds: ListRect
    private(set) var contentSize = ListSize(width: 0, height: 0)
    private(set) var elementCount = 0
    /// The last request, and the last answered one.
    private var serial: UInt64 = 0
    private var answered: UInt64 = 0
    private var hasMore = false
    private(set) var last: (number: UInt64, revision: Revision) = (0, 0)

    /// Joins the room as a member that only views.
    init(_ talk: Talk, as client: String) throws {
        self.talk = talk
        handle = try talk.join(try ViewedRoom.name(), as: client, viewOnly: true).handle
        bounds = ListRect(width: ViewedRoom.viewport.width, height: ViewedRoom.viewport.height)
    }

    /// Opens the view at a place of the content, and waits for the screen.
    func open(_ layout: ViewLayout, at y: Double = 0, overscan: Double = 0) throws {
        bounds.y = y
        try show(
            ViewRequest(
                room: handle, view: 1, layout: layout, bounds: bounds, overscan: overscan,
                serial: serial + 1))
    }

    /// Scrolls, and waits for the new screen.
    func scroll(by distance: Double) throws {
        bounds.y += distance
        try show(
            ViewRequest(
                room: handle, view: 1, bounds: bounds, seen: last.number, serial: serial + 1))
    }

    private func show(_ request: ViewRequest) throws {
        serial = request.serial
        try talk.send(.view(request))
        repeat { try takeNext() } while answered != serial || hasMore
    }

    /// Reads what has arrived after the screen.
    func takeRest() throws {
        while !talk.hasReadAll { try takeNext() }
    }

    private func takeNext() throws {
        switch try talk.receive() {
        case .viewUpdate(let update): take(update)
        case .error(let error): throw BenchError("the server refuses a view: \(error.text)")
        default: break
        }
    }

    private func take(_ update: ViewUpdate) {
        last = (update.number, update.revision)
        (answered, hasMore) = (update.serial, update.hasMore)
        elementCount += update.appeared.count - update.disappeared.count
        if let size = update.contentSize { contentSize = size }
        bounds.x += update.shift?.x ?? 0
        bounds.y += update.shift?.y ?? 0
    }
}
