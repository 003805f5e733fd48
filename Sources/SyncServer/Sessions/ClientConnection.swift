import SyncAccess
import SyncBytes
import SyncCounts
import SyncModel
import SyncRoom
import SyncWire

/// A client's connection, of whatever kind, as rooms see it.
///
/// A room knows a connection by its number, and calls it on the connection's own loop
/// (``ServerLoop/onConnection(_:_:)``). So no reference crosses loops. The connection decides how
/// to notify its client.
protocol ClientConnection: AnyObject {
    var id: ConnectionID { get }
    /// How the client is connected, for the count of connections; `nil` if it does not count
    /// there. It stays the same.
    var kind: ConnectionKind? { get }

    /// The token that it has shown was verified.
    func didVerify(_ result: Result<Access, TokenFailure>)

    // MARK: Memberships

    /// The connection has joined a room. So many answers to earlier transactions will follow.
    func didJoin(_ joined: Joined, _ membership: MembershipID, awaiting answers: Int)
    /// A room has refused the join.
    func didNotJoin(_ room: RoomName, _ request: RequestID, _ refusal: RoomRefusal)
    /// A room has removed the connection.
    func didLose(_ lost: MembershipID, of handle: RoomHandle, _ refusal: RoomRefusal)

    // MARK: In a room

    /// A room answers transactions.
    func take(_ answers: ArraySlice<RoomAnswer>, of handle: RoomHandle)
    /// So many transactions no longer wait for an answer.
    func wasAnswered(_ count: Int, in handle: RoomHandle)
    /// A room sends a delivery to its member, or a part of the answer to a request, in the
    /// connection's encoding. The connection adds the request's number. More follows when it has
    /// written this.
    func take(_ parts: [SharedBytes], of channel: Channel)
    /// Sends a message that waits for no channel.
    func send(_ message: ServerMessage)
    /// A task of the connection was done, or dropped.
    func taskIsOver()

    // MARK: Requests

    /// Whether a request is not answered yet.
    func awaits(_ request: RequestID) -> Bool
    /// Ends a request with a last message; `nil` if that was sent before.
    func finish(_ request: RequestID, with message: ServerMessage?)
}

/// The connections of a loop, by number, its sessions and the connections of its gateways, both in
/// an order that depends only on the events.
///
/// It is an object, since a look-up in a structure would retain all of its parts, for each delivery
/// to each member.
final class ConnectionTable {
    // No two accesses overlap here. So Swift does not check that at run time.
    @exclusivity(unchecked) private var byID: [ConnectionID: any ClientConnection] = [:]
    @exclusivity(unchecked) private(set) var sessions: [Session] = []
    private(set) var gateways: [GatewayConnection] = []
    /// How many refused connections wait until the client has read the reason.
    var refusedCount = 0
    private let counts: LoopCounts

    init(counting counts: LoopCounts) {
        self.counts = counts
    }

    subscript(id: ConnectionID) -> (any ClientConnection)? { byID[id] }

    func add(_ connection: any ClientConnection) {
        let former = byID.updateValue(connection, forKey: connection.id)
        precondition(former == nil, "each connection has a number of its own, and is added once")
        count(1, connection.kind)
    }

    /// Removes a connection, if it is there.
    ///
    /// - Returns: whether it was.
    @discardableResult
    func remove(_ connection: any ClientConnection) -> Bool {
        guard byID.removeValue(forKey: connection.id) != nil else { return false }
        count(-1, connection.kind)
        return true
    }

    /// Counts a connection of a gateway as one of another kind.
    func change(_ connection: GatewayConnection, to kind: ConnectionKind) {
        count(-1, connection.kind)
        connection.kind = kind
        count(1, kind)
    }

    private func count(_ change: Int, _ kind: ConnectionKind?) {
        guard let kind else { return }
        counts.connections.add(change, at: kind.rawValue)
        if change > 0 { counts.connectionsInAll.add(change, at: kind.rawValue) }
    }

    /// Whether there is neither a session nor a connection of a gateway.
    var isEmpty: Bool { sessions.isEmpty && gateways.isEmpty }

    func add(_ connection: GatewayConnection) {
        connection.index = gateways.count
        gateways.append(connection)
        count(1, connection.kind)
    }

    func remove(_ connection: GatewayConnection) {
        guard connection.index < gateways.count, gateways[connection.index] === connection else {
            return
        }
        count(-1, connection.kind)
        let last = gateways.removeLast()
        if last !== connection {
            gateways[connection.index] = last
            last.index = connection.index
        }
    }

    func add(_ session: Session) {
        add(session as any ClientConnection)
        session.index = sessions.count
        sessions.append(session)
    }

    func remove(_ session: Session) {
        guard remove(session as any ClientConnection) else { return }
        let last = sessions.removeLast()
        if last !== session {
            sessions[session.index] = last
            last.index = session.index
        }
    }
}

extension ServerLoop {
    /// Calls `body` with a connection on its loop, if it is still there.
    func onConnection(
        _ id: ConnectionID, _ body: @escaping @Sendable (any ClientConnection) -> Void
    ) {
        on(id.loopIndex) { loop in
            if let connection = loop.connections[id] { body(connection) }
        }
    }
}

extension ClientConnection {
    var kind: ConnectionKind? { .tcp }

    func refuse(_ subject: ErrorSubject, _ refusal: RoomRefusal) {
        send(.error(refusal.message(about: subject)))
    }

    func refuse(_ request: RequestID, _ code: ErrorCode, _ text: String) {
        send(.error(ErrorMessage(code, text, about: .request(request))))
    }
}
