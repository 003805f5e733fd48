import SyncModel
import SyncServer
import SyncWire

/// A request that is carried out as a member of a room: it joins for that, and leaves at its end.
class RoomVisit: RoomExchange {
    private var joinRequest: RequestID?
    /// What the room has answered to the join.
    private(set) var joined: Joined?

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

    override func didFind(_ newest: RevisionTag) { join() }
    func didJoin(_ joined: Joined) {}
    /// A message that is not about the membership.
    func receiveAsMember(_ message: ServerMessage) {}

    final override func receiveInside(_ message: ServerMessage) {
        switch message {
        case .joined(let joined) where joined.request == joinRequest:
            self.joined = joined
            handle = joined.handle
            didJoin(joined)
        case .error(let error): receive(error)
        default: receiveAsMember(message)
        }
    }

    private func receive(_ error: ErrorMessage) {
        switch error.subject {
        case .request(let request) where request == joinRequest:
            joinRequest = nil
            end(error)
        case .room: end(error)
        default: receiveAsMember(.error(error))
        }
    }

    /// A room that answers the join later would not be left.
    override var leavesMoreBehind: Bool { joinRequest != nil && joined == nil }
}
