package import SyncModel
import SyncRoom
package import SyncWire

/// The kinds of requests that a gate may deny.
package enum RequestKind: String, CaseIterable, Sendable {
    case join
    case submit
    case view
    case drag
    case presence
    case readSnapshot
    case readHistory
    case readStats
    case deleteRoom
    case listRooms
}

/// A request to check: who makes it, and for what.
package struct GateRequest: Sendable {
    /// The user that the connection has signed in as; empty if it has not.
    package let user: String
    package let role: Role
    package let kind: RequestKind
    /// The room that it is about, if it is about one.
    package let room: RoomName?
}

/// Decides which requests are allowed. It checks everything that is sent to a room; of a run of
/// transactions that a connection sends to one room, it checks the first. A hello, a leave and a
/// heartbeat are always allowed.
package protocol Gate: Sendable {
    /// The user that a connection from an address has signed in as, when it says hello; `nil` if it
    /// has not.
    func user(at peer: String) -> String?

    /// Whether a request is allowed. Called on any loop; must be quick.
    func allows(_ request: GateRequest) -> Bool
}

extension Gate {
    package func user(at peer: String) -> String? { nil }
}

/// Allows everything.
package struct OpenGate: Gate {
    package init() {}

    package func allows(_ request: GateRequest) -> Bool { true }
}

// The checks of a connection's requests.
extension Session {
    /// Whether a request to a room, or to the server, is allowed.
    func authorize(_ kind: RequestKind, _ room: RoomName?) -> Bool {
        configuration.gate.allows(
            GateRequest(user: user, role: Session.role, kind: kind, room: room))
    }

    /// Whether a message's request is allowed. If not, this answers it with a refusal.
    func authorize(_ message: ClientMessage) -> Bool {
        switch message {
        case .hello, .heartbeat, .leave, .submit: return true
        case .join(let join): return authorize(.join, join.room, join.request)
        case .listRooms(let list): return authorize(.listRooms, nil, list.request)
        case .readStats(let read): return authorize(.readStats, read.room, read.request)
        case .deleteRoom(let delete): return authorize(.deleteRoom, delete.room, delete.request)
        case .readSnapshot(let read): return authorize(.readSnapshot, read.room, read.request)
        case .readHistory(let read): return authorize(.readHistory, read.room, read.request)
        case .view(let request):
            guard mayNot(.view, in: request.room) else { return true }
            // After this refusal the client regards the view as closed.
            let (id, view) = (id, request.view)
            ask(.view, of: request.room) { host in host.closeView(view, of: id) }
            refuse(.view(view, serial: request.serial, in: request.room), .denied)
        case .drag(let drag):
            guard mayNot(.drag, in: drag.room) else { return true }
            let (id, end) = (id, Drag(room: drag.room, number: drag.number, .cancel))
            ask(.drag, of: drag.room) { host in host.drag(end, by: id) }
            refuse(drag.subject, .denied)
        case .presence(let presence):
            guard mayNot(.presence, in: presence.room) else { return true }
            refuse(.presence(in: presence.room), .denied)
        }
        return false
    }

    private func authorize(_ kind: RequestKind, _ room: RoomName?, _ request: RequestID) -> Bool {
        if authorize(kind, room) { return true }
        refuse(request, .notAllowed, Self.denial)
        return false
    }

    /// Whether something is denied in a room. If the connection is not in the room, another check
    /// refuses the message.
    private func mayNot(_ kind: RequestKind, in handle: RoomHandle) -> Bool {
        guard let index = membership(handle) else { return false }
        return !authorize(kind, memberships[index].room)
    }

    /// Everybody is an admin, so that only the gate denies requests.
    static let role = Role.admin

    fileprivate static let denial = "this connection is not allowed to do that"
}

extension RoomRefusal {
    fileprivate static let denied = RoomRefusal(code: .notAllowed, text: Session.denial)
}

extension Rejection {
    static let denied = Rejection(code: .notAllowed, message: Session.denial)
}
