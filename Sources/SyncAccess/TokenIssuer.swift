package import SyncModel

/// Signs tokens for those with whom a user shares a room.
package protocol TokenIssuer: Sendable {
    /// How many seconds a token may be valid at most.
    var maximumLifetime: UInt64 { get }

    /// Signs a token. It may take a millisecond.
    ///
    /// - Returns: `nil` if no key can sign.
    func issue(_ share: RoomShare) -> String?
}

/// A room that somebody gets access to: by a token that everybody may use who has the link.
package struct RoomShare: Sendable, Equatable {
    /// The user of the token, and the token's own id.
    package let user: Identifier
    package let displayName: String
    package let room: RoomName
    package let role: Role
    /// Seconds since 1970.
    package let issued: UInt64
    package let expires: UInt64

    package init(
        user: Identifier, displayName: String, room: RoomName, role: Role, issued: UInt64,
        expires: UInt64
    ) {
        self.user = user
        self.displayName = displayName
        self.room = room
        self.role = role
        self.issued = issued
        self.expires = expires
    }

    /// How the users of such tokens are named. They may not share further, as then no token of
    /// theirs would ever end.
    package static let userPrefix: StaticString = "share-"
}
