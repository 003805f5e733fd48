package import SyncModel

/// Signs tokens for those with whom a user shares a room.
package protocol TokenIssuer: Sendable {
    /// For how many seconds a room may be shared at most.
    var maximumShareLifetime: UInt64 { get }

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
    package let sharer: Sharer
    /// Seconds since 1970.
    package let issued: UInt64
    package let expires: UInt64

    package init(
        user: Identifier, displayName: String, room: RoomName, role: Role, sharer: Sharer,
        issued: UInt64, expires: UInt64
    ) {
        self.user = user
        self.displayName = displayName
        self.room = room
        self.role = role
        self.sharer = sharer
        self.issued = issued
        self.expires = expires
    }

    /// How the users of such tokens are named.
    package static let userPrefix: StaticString = "share-"
}
