import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// Some items of a room: a page of its order, those that have a text, or a single one.
final class ItemsRead: SessionRequest {
    private let room: RoomName
    private let revision: Revision?
    private let query: ItemQuery
    /// Whether the answer is one item, or none.
    private let isSingle: Bool
    private var request: RequestID = 0
    private var page: ItemPage?
    private var pageBytes = 0

    private static let bytesOfItem = 128

    override var memoryBytes: Int { super.memoryBytes + pageBytes }

    init(
        _ query: ItemQuery, of room: RoomName, at revision: Revision?, isSingle: Bool = false,
        _ connection: HTTPConnection, _ session: RequestSession
    ) {
        self.query = query
        self.room = room
        self.revision = revision
        self.isSingle = isSingle
        super.init(connection, session)
    }

    override func ask() {
        request = session.nextRequest()
        session.link.send(
            .readItems(ReadItems(request: request, room: room, revision: revision, query)))
    }

    override func receive(_ message: ServerMessage) {
        switch message {
        case .items(let items) where items.request == request: add(items)
        case .done(let done) where done.request == request: answer()
        case .error(let error): end(error)
        default: break
        }
    }

    private func add(_ items: Items) {
        var page =
            page
            ?? ItemPage(revision: items.revision, origin: items.origin.map { RoomOrigin($0) })
        page.items += items.items
        pageBytes += items.items.reduce(0) {
            $0 + $1.item.content.bytes.count + ItemsRead.bytesOfItem
        }
        for section in items.sections { page.sections[section.index] = section.id }
        page.next = items.next
        self.page = page
    }

    private func answer() {
        let page = page ?? ItemPage(revision: revision ?? 0, origin: nil)
        if isSingle, page.items.isEmpty {
            return respond(
                .error(status: 404, code: "notFound", "there is no such item in the room"))
        }
        perform(onBytes: pageBytes) { [isSingle] in
            ItemsRead.response(page, isSingle: isSingle)
        } then: { [self] in
            respond($0)
        }
    }

    private static func response(_ page: ItemPage, isSingle: Bool) -> Response {
        var writer = JSONWriter()
        if isSingle, let item = page.items.first {
            writer.write(item, of: page)
        } else {
            writer.write(page)
        }
        writer.endLine()
        return Response(
            200, HTTPFields(["Content-Type": "application/json"]),
            body: SharedBytes(copying: writer.bytes))
    }
}
