package import SyncAccess
package import SyncModel
import SyncRoom
package import SyncWire

/// Which tokens a server accepts. A server that asks for tokens lets nobody in without one.
package struct TokenAuthentication: Sendable {
    package var verifier: any TokenVerifier
    /// Whether tokens are also taken over plain connections from other machines, because a proxy
    /// before the server secures them.
    package var areTakenFromAnywhere = false
    /// Signs tokens with which users share rooms; `nil` if they may not.
    package var issuer: (any TokenIssuer)?

    package init(_ verifier: any TokenVerifier) {
        self.verifier = verifier
    }
}

extension ClientMessage {
    /// The least role that may send a message to a room; `nil` for a message that every connection
    /// may send. Such a message changes nothing in a room, and shows nothing of one.
    package var leastRole: Role? {
        switch self {
        // The answer to `listRooms` has only rooms in which the user has a role.
        case .hello, .renew, .heartbeat, .leave, .listRooms: nil
        case .join, .view, .presence, .readSnapshot, .readHistory, .readItems, .readStats: .viewer
        case .submit: ClientMessage.leastRoleToSubmit
        case .drag: .editor
        case .deleteRoom: .admin
        // Not in a room, but in all rooms.
        case .revoke: .admin
        }
    }

    fileprivate static var leastRoleToSubmit: Role { .editor }
}

// The one place where a connection's requests are allowed or refused. It sees every message that is
// sent to a room; of a run of transactions that a connection sends to one room, it sees the first.
extension Session {
    /// Whether a message's request is allowed. If not, this answers it with a refusal.
    func authorize(_ message: ClientMessage) -> Bool {
        if hasExpired {
            expire()
            return false
        }
        guard let least = message.leastRole else { return true }
        switch message {
        case .hello, .renew, .heartbeat, .leave, .listRooms, .submit: return true
        case .revoke(let revoke):
            if principal.access.roles.has(least, inAllRooms: ()) { return true }
            note(revoke, .notAllowed)
            refuse(revoke.request, .notAllowed, RoomRefusal.denied.text)
        case .join(let join): return authorize(least, in: join.room, join.request, .join)
        case .readStats(let read): return authorize(least, in: read.room, read.request, .read)
        case .deleteRoom(let delete):
            return authorize(least, in: delete.room, delete.request, .deleteRoom)
        case .readSnapshot(let read): return authorize(least, in: read.room, read.request, .read)
        case .readHistory(let read): return authorize(least, in: read.room, read.request, .read)
        case .readItems(let read): return authorize(least, in: read.room, read.request, .read)
        case .view(let request):
            guard mayNot(least, in: request.room) else { return true }
            // After this refusal the client regards the view as closed.
            let (id, view) = (id, request.view)
            ask(.view, of: request.room) { host in host.closeView(view, of: id) }
            refuse(.view(view, serial: request.serial, in: request.room), .denied)
        case .drag(let drag):
            guard mayNot(least, in: drag.room) else { return true }
            let (id, end) = (id, Drag(room: drag.room, number: drag.number, .cancel))
            ask(.drag, of: drag.room) { host in host.drag(end, by: id) }
            noteDenied(.edit, in: drag.room)
            refuse(drag.subject, .denied)
        case .presence(let presence):
            guard mayNot(least, in: presence.room) else { return true }
            refuse(.presence(in: presence.room), .denied)
        }
        return false
    }

    /// Whether transactions are allowed in a room that the connection is in. This is asked once for
    /// a run of them, before they are decoded.
    func maySubmit(at index: Int) -> Bool {
        memberships[index].role >= ClientMessage.leastRoleToSubmit
    }

    private func authorize(
        _ least: Role, in room: RoomName, _ request: RequestID, _ kind: AuditEvent.Kind
    ) -> Bool {
        if let role = principal.access.role(in: room), role >= least { return true }
        note(kind, in: room, .notAllowed, RoomRefusal.denied.text)
        refuse(request, .notAllowed, RoomRefusal.denied.text)
        return false
    }

    /// Notes that the role in a room does not allow something.
    func noteDenied(_ kind: AuditEvent.Kind, in handle: RoomHandle) {
        let room = membership(handle).map { memberships[$0].room }
        note(kind, in: room, .notAllowed, RoomRefusal.denied.text)
    }

    /// Whether something is denied in a room. If the connection is not in the room, another check
    /// refuses the message.
    private func mayNot(_ least: Role, in handle: RoomHandle) -> Bool {
        guard let index = membership(handle) else { return false }
        return memberships[index].role < least
    }
}

extension RoomRefusal {
    static let denied = RoomRefusal(
        code: .notAllowed, text: "the user's role in the room does not allow that")
}

extension Rejection {
    static let denied = Rejection(code: .notAllowed, message: RoomRefusal.denied.text)
}
