import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// The rooms that the user may see, a page at a time, by ascending bytes of their names.
final class RoomsRead: SessionRequest {
    struct Page {
        var prefix = ""
        /// The last name of the page before.
        var after = ""
        var limit = RoomsRead.mostRooms
    }

    static let mostRooms = 1000

    private let page: Page
    private var request: RequestID = 0
    private var rooms: [RoomList.Entry] = []
    private var hasMore = false

    init(_ page: Page, _ connection: HTTPConnection, _ session: RequestSession) {
        self.page = page
        super.init(connection, session)
    }

    override var memoryBytes: Int { 512 + rooms.count * 320 }

    override func ask() {
        request = session.nextRequest()
        session.link.send(.listRooms(ListRooms(request: request)))
    }

    override func receive(_ message: ServerMessage) {
        switch message {
        case .roomList(let list) where list.request == request:
            for entry in list.rooms { add(entry) }
            if !list.hasMore { answer() }
        case .error(let error): end(error)
        default: break
        }
    }

    private func add(_ entry: RoomList.Entry) {
        let name = entry.name.text
        let isAfter = page.after.isEmpty || page.after.utf8.lexicographicallyPrecedes(name.utf8)
        guard isAfter, name.utf8.starts(with: page.prefix.utf8) else { return }
        if rooms.count == page.limit { hasMore = true } else { rooms.append(entry) }
    }

    private func answer() {
        let entries = rooms.map { entry -> JSONTree in
            [
                "name": .text(entry.name.text), "revision": .count(entry.revision),
                "members": .count(UInt64(entry.members)),
            ]
        }
        var members = [JSONTree.Member("rooms", .list(entries))]
        if hasMore, let last = rooms.last { members.append(.init("next", .text(last.name.text))) }
        respond(.json(200, .object(members)))
    }
}
