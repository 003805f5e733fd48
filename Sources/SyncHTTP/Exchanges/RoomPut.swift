import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// Makes a room without content, unless it is there.
///
/// A room that nobody has written to is gone when nobody is in it. So this writes a transaction
/// without operations.
final class RoomPut: RoomVisit {
    override func receive(_ bytes: [UInt8]) {
        refuse(ErrorMessage(.badMessage, "a room is made without a body; an import fills it"))
    }

    override func ask() { visit() }

    override func didFind(_ stats: Stats) {
        respond(.json(200, tree(of: stats.identity, at: stats.revision)))
    }

    override func didNotFind(_ error: ErrorMessage) { join() }

    override func didJoin(_ joined: Joined) {
        do throws(Rejection) {
            let nothing = ListTransaction(base: joined.revision, operations: [])
            session.link.send(
                .submit(
                    try Submit(
                        room: joined.handle, counter: joined.counter + 1, transaction: nothing)))
        } catch {
            refuse(error)
        }
    }

    override func receiveInside(_ message: ServerMessage) {
        switch message {
        case .ack(let ack):
            guard let joined, joined.handle == ack.room else { return }
            respond(.json(201, tree(of: joined.identity, at: ack.commit.revision)))
        case .reject(let reject) where reject.room == joined?.handle: refuse(reject.rejection)
        default: break
        }
    }

    private func refuse(_ rejection: Rejection) {
        respond(
            .error(
                status: rejection.code.status, code: rejection.code.name, rejection.message,
                retry: rejection.code == .unavailable,
                retryAfterMilliseconds: rejection.retryAfterMilliseconds))
    }

    private func tree(of identity: RoomIdentity, at revision: Revision) -> JSONTree {
        [
            "room": .text(room.text), "id": .text("\(identity.id)"),
            "epoch": .text("\(identity.newestEpoch)"), "revision": .count(revision),
        ]
    }
}
