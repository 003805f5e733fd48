import SyncModel
import SyncWire

/// The room that the transactions of a connection's requests go to, and their author.
struct RequestMembership {
    /// What is known once the room has answered the join.
    struct Known {
        let handle: RoomHandle
        /// The newest revision that the author knows of.
        var revision: Revision
    }

    let room: RoomName
    let join: RequestID
    private(set) var known: Known?
    private(set) var lastCounter: UInt64 = 0
    /// The bases of an author's transactions must not descend.
    private(set) var lastBase: Revision = 0

    init(_ room: RoomName, join: RequestID) {
        self.room = room
        self.join = join
    }

    mutating func didJoin(_ joined: Joined) {
        known = Known(handle: joined.handle, revision: joined.revision)
        lastCounter = joined.counter
    }

    mutating func didSubmit(_ counter: UInt64, base: Revision) {
        lastCounter = counter
        lastBase = base
    }

    mutating func didCommit(_ revision: Revision) {
        guard let known, known.revision < revision else { return }
        self.known?.revision = revision
    }

    /// Whether a transaction may have this author.
    func serves(_ room: RoomName, base: Revision?) -> Bool {
        room == self.room && (base ?? .max) >= lastBase
    }
}

extension RequestSession {
    /// Joins a room, unless it is in it with an author whose transaction may have that base.
    func join(_ room: RoomName, forBase base: Revision?) -> RequestMembership {
        if let membership, membership.serves(room, base: base) { return membership }
        leave()
        let request = nextRequest()
        let membership = RequestMembership(room, join: request)
        self.membership = membership
        link.send(
            .join(
                Join(
                    request: request, room: room,
                    client: RandomName.make(prefix: "h-", random: random()),
                    viewOnly: true)))
        return membership
    }

    /// Leaves the room that it is in.
    func leave() {
        guard let membership else { return }
        self.membership = nil
        link.send(
            .leave(Leave(request: nextRequest(), room: membership.known?.handle ?? 0)),
            naming: membership.known == nil ? membership.join : nil)
    }
}
