package import SyncWire

/// A session that a gateway has opened.
package struct GatewaySession {
    weak var session: Session?

    init(_ session: Session) {
        self.session = session
    }

    /// The user that it has signed in as; empty if it has not, or is over.
    package var user: String { session?.user ?? "" }

    /// Names the trace of a transaction that the session is about to get.
    ///
    /// - Parameter room: the room that it is for, where the session is a member.
    package func note(_ trace: TraceParent, of counter: UInt64, in room: RoomHandle) {
        guard let session else { return }
        let id = session.id
        session.loop.onRoom(room) { $0.note(trace, of: counter, from: id) }
    }
}
