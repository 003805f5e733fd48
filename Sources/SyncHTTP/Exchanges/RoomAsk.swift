import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// A request with one message as its answer: a room's figures, or that it was deleted.
final class RoomAsk: SessionRequest {
    enum Kind {
        case stats
        case delete
    }

    private let kind: Kind
    private let room: RoomName
    private var request: RequestID = 0

    init(
        _ kind: Kind, _ room: RoomName, _ connection: HTTPConnection, _ session: RequestSession
    ) {
        self.kind = kind
        self.room = room
        super.init(connection, session)
    }

    override func ask() {
        request = session.nextRequest()
        let ask = RoomRequest(request: request, room: room)
        session.link.send(kind == .stats ? .readStats(ask) : .deleteRoom(ask))
    }

    override func receive(_ message: ServerMessage) {
        switch message {
        case .stats(let stats) where stats.request == request:
            respond(.json(200, JSONTree(stats)))
        case .done(let done) where done.request == request: respond(Response(204))
        case .error(let error): end(error)
        default: break
        }
    }
}

extension JSONTree {
    init(_ stats: Stats) {
        self = .object(
            [
                Member("room", .text(stats.room.text)),
                Member("id", .text("\(stats.identity.id)")),
                Member("epoch", .text("\(stats.identity.newestEpoch)")),
                Member("revision", .count(stats.revision)),
                Member("horizon", .count(stats.horizon)),
                Member("oldestRevision", .count(stats.oldestRevision)),
                Member("snapshotRevision", .count(stats.snapshotRevision)),
            ] + JSONTree.members(stats.figures.all) + [
                Member("account", .object(JSONTree.members(stats.account.all))),
                Member("server", .object(JSONTree.members(stats.server.all))),
            ])
    }

    private static func members(_ figures: [Figure]) -> [Member] {
        figures.map { Member($0.name, .count($0.value)) }
    }
}
