package import SyncModel
import SyncRoom
package import SyncWire

/// What clients ask for that they may not be allowed.
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

/// Who asks for what.
package struct GateRequest: Sendable {
    /// As whom the connection has signed in; empty if it has not.
    package let user: String
    package let role: Role
    package let kind: RequestKind
    /// The room that it is about, if it is about one.
    package let room: RoomName?
}

/// Says who may ask for what. Nothing reaches a room but through it: of transactions, one of each
/// run that a connection sends a room. To say hello, to leave and to tell that one is there is
/// always allowed.
package protocol Gate: Sendable {
    /// As whom a connection from an address has signed in, when it says hello; `nil` if it has not.
    func user(at peer: String) -> String?

    /// Whether a request may be made. Called on any loop, and quick.
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

// What a connection may ask for.
extension Session {
    /// Whether it may ask a room, or the server, for something.
    func authorize(_ kind: RequestKind, _ room: RoomName?) -> Bool {
        configuration.gate.allows(
            GateRequest(user: user, role: Session.role, kind: kind, room: room))
    }

    /// Whether it may ask for what a message asks for; if not, it is told so, and nothing else
    /// happens.
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
            // Whoever is told so of a view takes it for closed.
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

    /// Whether something is not allowed in a room. Of one that it is not in, it is told so
    /// elsewhere.
    private func mayNot(_ kind: RequestKind, in handle: RoomHandle) -> Bool {
        guard let index = membership(handle) else { return false }
        return !authorize(kind, memberships[index].room)
    }

    /// Everybody may do everything, but for what the gate denies.
    static let role = Role.admin

    fileprivate static let denial = "this connection is not allowed to do that"
}

extension RoomRefusal {
    fileprivate static let denied = RoomRefusal(code: .notAllowed, text: Session.denial)
}

extension Rejection {
    static let denied = Rejection(code: .notAllowed, message: Session.denial)
}
