package import SyncModel
import SyncRoom
package import SyncWire

/// A session that a gateway has opened.
package struct GatewaySession {
    weak var session: Session?

    init(_ session: Session) {
        self.session = session
    }

    /// The user that it has signed in as; empty if it has not, or is over.
    package var user: UserName { session?.user ?? .nobody }

    /// The session, if somebody has signed in with it.
    var signedIn: Session? {
        guard let session, session.phase == .open, !session.user.isNobody else { return nil }
        return session
    }

    /// Finds out a room's newest revision, as the answer to a join would say it.
    ///
    /// - Parameters:
    ///   - room: the room, where the session is a member.
    ///   - goOn: gets the revision, or `nil` if the session is no member any more. It is called
    ///     within this call, unless another loop has the room.
    package func newestRevision(of room: RoomHandle, then goOn: @escaping (Revision?) -> Void) {
        guard let session, session.phase == .open, session.membership(room) != nil else {
            return goOn(nil)
        }
        let (id, loop) = (session.id, session.loop)
        // Only its own loop calls it.
        nonisolated(unsafe) let goOn = goOn
        loop.on(loop.loopIndex(of: room)) { loop in
            let revision = loop.hosts[room]?.room.durableRevision
            loop.on(id.loopIndex) { _ in goOn(revision) }
        }
    }

    /// Names the trace of a transaction that the session is about to get.
    ///
    /// - Parameter room: the room that it is for, where the session is a member.
    package func note(_ trace: TraceParent, of counter: UInt64, in room: RoomHandle) {
        guard let session else { return }
        let id = session.id
        session.loop.onRoom(room) { $0.note(trace, of: counter, from: id) }
    }
}
