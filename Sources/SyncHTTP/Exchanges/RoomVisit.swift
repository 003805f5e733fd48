import SyncModel
import SyncServer
import SyncWire

/// A request that is carried out as a member of a room: it joins for that, and leaves at its end.
///
/// Whoever joins a missing room makes it. So the session is asked for the room's figures first.
class RoomVisit: SessionRequest {
    let room: RoomName
    private var statsRequest: RequestID?
    private var joinRequest: RequestID?
    /// What the room has answered to the join.
    private(set) var joined: Joined?

    init(_ room: RoomName, _ connection: HTTPConnection, _ session: RequestSession) {
        self.room = room
        super.init(connection, session)
    }

    /// Asks for the room's figures.
    final func visit() {
        let request = session.nextRequest()
        statsRequest = request
        session.link.send(.readStats(RoomRequest(request: request, room: room)))
    }

    /// Joins the room, and makes it if it is missing.
    final func join() {
        let request = session.nextRequest()
        joinRequest = request
        session.link.send(
            .join(
                Join(
                    request: request, room: room,
                    client: RandomName.make(prefix: "h-", random: session.random()),
                    viewOnly: true)))
    }

    /// There is such a room.
    func didFind(_ stats: Stats) { join() }
    /// There is no such room.
    func didNotFind(_ error: ErrorMessage) { end(error) }
    func didJoin(_ joined: Joined) {}
    /// A message that is about neither the figures nor the membership.
    func receiveInside(_ message: ServerMessage) {}

    final override func receive(_ message: ServerMessage) {
        switch message {
        case .stats(let stats) where stats.request == statsRequest: didFind(stats)
        case .joined(let joined) where joined.request == joinRequest:
            self.joined = joined
            handle = joined.handle
            didJoin(joined)
        case .error(let error): receive(error)
        default: receiveInside(message)
        }
    }

    private func receive(_ error: ErrorMessage) {
        switch error.subject {
        case .request(let request) where request == statsRequest:
            if error.code == .roomNotFound { didNotFind(error) } else { end(error) }
        case .request(let request) where request == joinRequest:
            joinRequest = nil
            end(error)
        case .room: end(error)
        default: receiveInside(.error(error))
        }
    }

    /// A room that answers the join later would not be left.
    override var leavesMoreBehind: Bool { joinRequest != nil && joined == nil }
}
