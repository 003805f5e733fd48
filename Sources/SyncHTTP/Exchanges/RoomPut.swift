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

    override func ask() { find() }

    override func didFind(_ newest: RevisionTag) { respond(.json(200, tree(of: newest))) }

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

    override func receiveAsMember(_ message: ServerMessage) {
        switch message {
        case .ack(let ack):
            guard let joined, joined.handle == ack.room else { return }
            let revision = ack.commit.revision
            let made = RevisionTag(joined.identity.origin(of: revision), revision)
            respond(.json(201, tree(of: made)))
        case .reject(let reject) where reject.room == joined?.handle: refuse(reject.rejection)
        default: break
        }
    }

    private func refuse(_ rejection: Rejection) {
        respond(
            .error(
                status: rejection.status, code: rejection.code.name, rejection.message,
                retry: rejection.code == .unavailable,
                retryAfterMilliseconds: rejection.retryAfterMilliseconds))
    }

    private func tree(of tag: RevisionTag) -> JSONTree {
        [
            "room": .text(room.text), "id": .text("\(tag.origin.room)"),
            "epoch": .text("\(tag.origin.epoch)"), "revision": .count(tag.revision),
        ]
    }
}
