package import SyncModel
package import SyncWire

/// Takes note of who came, who was refused, and what an admin did. Called on loops, so it must not
/// wait.
package protocol AuditTrail: Sendable {
    func note(_ event: AuditEvent)
}

/// One line of an audit trail. It never has a token or a secret in it.
package struct AuditEvent: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A connection that is refused because there are too many.
        case connect
        /// A user signs in, or is refused.
        case signIn
        /// A new token is refused.
        case renew
        /// A connection joins a room, or is refused. A connection of HTTP requests joins with the
        /// first of its requests that needs to be in the room.
        case join
        /// A connection has left a room, or was put out of it.
        case leave
        /// A reading of a room is refused.
        case read
        /// An edit or a drag is refused, as the user's role does not allow it.
        case edit
        case deleteRoom
        /// A user gets a token with which a room is shared, or is refused.
        case share
        /// Access is taken back.
        case revoke
        /// The server has a key of tokens no longer, and ends the connections with its tokens.
        case retireKey
        /// A command takes items out of a store for good.
        case purge
        /// A command replaces a room by that of a backup.
        case restore
    }

    package var kind: Kind
    /// Milliseconds since 1970.
    package var time: UInt64
    /// The user who has signed in; else whom a refused token names, if a key has signed it; else
    /// nobody.
    package var user: UserName
    /// Who has shared a room with that user; else nobody.
    package var sharer: UserName
    /// The address of the client, as `HOST:PORT`.
    package var address: String
    /// The id of the user's token, or of a refused one, if a key has signed it.
    package var token: Identifier?
    /// The room that it is about, if it is about one.
    package var room: RoomName?
    /// Why it was refused; `nil` if it was done.
    package var code: ErrorCode?
    /// For people.
    package var detail: String
    /// Whether another event is about the same deletion.
    var isRepeated = false
    /// How many like it were left out before it, because there were too many.
    package var leftOut = 0

    package init(
        _ kind: Kind, time: UInt64, user: UserName = .nobody, sharer: UserName = .nobody,
        address: String = "",
        token: Identifier? = nil, room: RoomName? = nil, code: ErrorCode? = nil,
        detail: String = ""
    ) {
        self.kind = kind
        self.time = time
        self.user = user
        self.sharer = sharer
        self.address = LogBacklog.bounded(address)
        self.token = token
        self.room = room
        self.code = code
        self.detail = LogBacklog.bounded(detail)
    }

    /// Whether it took something away for good. However many there are, each is noted: they are
    /// bounded by the rates at which rooms are made, and by what operators do.
    package var isNeverLeftOut: Bool {
        guard code == nil, !isRepeated else { return false }
        return switch kind {
        case .deleteRoom, .revoke, .retireKey, .purge, .restore: true
        case .connect, .signIn, .renew, .join, .leave, .read, .edit, .share: false
        }
    }

    /// Whether it is a refusal of somebody without a signed token. Anyone on the network can
    /// cause these.
    package var isOfStranger: Bool { user.isNobody && code != nil }
}
