import SyncBytes
import SyncModel
import SyncRoom
import SyncWire

/// A client's connection, of whatever kind, as rooms see it.
///
/// A room knows a connection by its number, and has it told things on the connection's own loop
/// (``ServerLoop/tell(_:_:)``): no reference crosses loops. How the client is told is up to the
/// connection.
protocol ClientConnection: AnyObject {
    var id: ConnectionID { get }

    // MARK: Memberships

    /// A room has taken the connection in. So many answers come without a question.
    func didJoin(_ joined: Joined, _ membership: MembershipID, awaiting answers: Int)
    /// A room has not taken the connection in.
    func didNotJoin(_ room: RoomName, _ request: RequestID, _ refusal: RoomRefusal)
    /// A room has put the connection out.
    func didLose(_ lost: MembershipID, of handle: RoomHandle, _ refusal: RoomRefusal)

    // MARK: In a room

    /// A room answers transactions.
    func take(_ answers: ArraySlice<RoomAnswer>, of handle: RoomHandle)
    /// So many transactions get no answer of their own.
    func wasAnswered(_ count: Int, in handle: RoomHandle)
    /// A room sends what the member lacks, or part of what a request asks for, in the connection's
    /// encoding; whom it is for is to be told beside it. More comes when it has taken this.
    func take(_ parts: [SharedBytes], of channel: Channel)
    /// Says something that needs no leave.
    func say(_ message: ServerMessage)
    /// A task of the connection was done, or dropped.
    func taskIsOver()

    // MARK: Requests

    /// Whether a request is not answered yet.
    func awaits(_ request: RequestID) -> Bool
    /// The last word about a request; `nil` if it was said before.
    func finish(_ request: RequestID, with message: ServerMessage?)
}

/// The connections of a loop, by number, and its sessions, in an order that depends on nothing but
/// what happened.
struct ConnectionTable {
    private var byID: [ConnectionID: any ClientConnection] = [:]
    private(set) var sessions: [Session] = []
    /// Connections that are being told why they are not taken.
    var refusedCount = 0

    subscript(id: ConnectionID) -> (any ClientConnection)? { byID[id] }

    mutating func add(_ connection: any ClientConnection) {
        byID[connection.id] = connection
    }

    mutating func remove(_ connection: any ClientConnection) {
        byID[connection.id] = nil
    }

    mutating func add(_ session: Session) {
        byID[session.id] = session
        session.index = sessions.count
        sessions.append(session)
    }

    mutating func remove(_ session: Session) {
        guard byID.removeValue(forKey: session.id) != nil else { return }
        let last = sessions.removeLast()
        if last !== session {
            sessions[session.index] = last
            last.index = session.index
        }
    }
}

extension ServerLoop {
    /// Has a connection told something on its loop, if it is still there.
    func tell(
        _ id: ConnectionID, _ body: @escaping @Sendable (any ClientConnection) -> Void
    ) {
        on(id.loopIndex) { loop in
            if let connection = loop.connections[id] { body(connection) }
        }
    }
}

extension ClientConnection {
    func refuse(_ subject: ErrorSubject, _ refusal: RoomRefusal) {
        say(.error(refusal.message(about: subject)))
    }

    func refuse(_ request: RequestID, _ code: ErrorCode, _ text: String) {
        say(.error(ErrorMessage(code, text, about: .request(request))))
    }
}
