package import SyncModel

/// A role in all rooms that a pattern names.
package struct Grant: Sendable, Hashable {
    package let rooms: RoomPattern
    package let role: Role

    package init(_ role: Role, in rooms: RoomPattern) {
        self.rooms = rooms
        self.role = role
    }
}

/// For whom a connection acts, and what it may do in which rooms.
///
/// It never changes, so connections and rooms share it.
package final class Access: Sendable {
    package let user: UserName
    /// What others see as the user's name; may be empty.
    package let displayName: String
    package let roles: Roles
    /// The token that it depends on; `nil` if it depends on none.
    package let token: TokenFacts?
    /// When the token was issued, or the certificate that it depends on, in seconds since 1970;
    /// `nil` if it depends on neither.
    package let issued: UInt64?
    /// Who has shared a room by the token; `nil` if that is not what it is for.
    package let sharer: Sharer?

    package static let maximumGrants = 64
    package static let maximumDisplayNameBytes = 256

    package init(
        user: UserName, displayName: String = "", grants: [Grant], token: TokenFacts? = nil,
        certificateIssued: UInt64? = nil, sharer: Sharer? = nil
    ) {
        self.user = user
        self.displayName = displayName
        roles = Roles(grants: grants)
        self.token = token
        issued = token?.issued ?? certificateIssued
        self.sharer = sharer
    }

    /// The access of somebody who may do everything.
    ///
    /// - Parameter issued: from when on the certificate is valid that says who it is.
    package convenience init(unlimited user: UserName, certificateIssued issued: UInt64? = nil) {
        self.init(user: user, grants: [Grant(.admin, in: .all)], certificateIssued: issued)
    }

    private init(_ access: Access, _ roles: Roles) {
        user = access.user
        displayName = access.displayName
        self.roles = roles
        token = access.token
        issued = access.issued
        sharer = access.sharer
    }

    /// The same without any role in some rooms.
    package func without(_ rooms: Set<RoomName>) -> Access {
        let lost = rooms.filter { role(in: $0) != nil }
        if lost.isEmpty { return self }
        var roles = roles
        roles.withheld.formUnion(lost)
        return Access(self, roles)
    }

    package func role(in room: RoomName) -> Role? { roles.role(in: room) }

    /// The keys on which it depends: that of its token, and that of the sharer's.
    package var keys: [(id: Identifier, mark: UInt64)] {
        [token.map { ($0.key, $0.keyMark) }, sharer.map { ($0.key, $0.keyMark) }].compactMap { $0 }
    }
}

/// Which role there is in which rooms.
package struct Roles: Sendable, Hashable {
    /// At most ``Access/maximumGrants``.
    package let grants: [Grant]
    /// The rooms where there is none, whatever the grants say.
    fileprivate var withheld: Set<RoomName> = []

    fileprivate init(grants: [Grant]) {
        self.grants = grants
    }

    /// The greatest role that the grants give in a room; `nil` if there is none. O(grants).
    package func role(in room: RoomName) -> Role? {
        if withheld.contains(room) { return nil }
        var greatest: Role?
        for grant in grants where grant.rooms.names(room) {
            greatest = max(greatest ?? grant.role, grant.role)
        }
        return greatest
    }

    /// Whether there is at least a role in every room, also in those that are made later.
    package func has(_ role: Role, inAllRooms: Void) -> Bool {
        withheld.isEmpty && grants.contains { $0.rooms.namesAll && $0.role >= role }
    }
}

/// What is known of a verified token. Times are seconds since 1970.
package struct TokenFacts: Sendable, Hashable {
    /// The token's own id (`jti`).
    package let id: Identifier
    /// The id of the key that signed it (`kid`).
    package let key: Identifier
    /// Tells this key from others with the same id.
    package let keyMark: UInt64
    package let issued: UInt64
    package let expires: UInt64

    package init(
        id: Identifier, key: Identifier, keyMark: UInt64 = 0, issued: UInt64, expires: UInt64
    ) {
        self.id = id
        self.key = key
        self.keyMark = keyMark
        self.issued = issued
        self.expires = expires
    }
}

/// Who has shared a room, and by which token. Their share ends when that token is not good any
/// more, unless it has just expired.
package struct Sharer: Sendable, Hashable {
    package let user: Identifier
    /// The id of the user's own token.
    package let token: Identifier
    /// The key that signed it, see ``TokenFacts``.
    package let key: Identifier
    package let keyMark: UInt64
    /// When it was issued, in seconds since 1970.
    package let issued: UInt64

    package init(
        user: Identifier, token: Identifier, key: Identifier, keyMark: UInt64 = 0, issued: UInt64
    ) {
        self.user = user
        self.token = token
        self.key = key
        self.keyMark = keyMark
        self.issued = issued
    }

    /// Somebody as the sharer of a room; `nil` if they have no token, or if a room was shared with
    /// them: else shares would outlive each other without end.
    package init?(_ access: Access) {
        guard access.sharer == nil, let user = access.user.name, let token = access.token else {
            return nil
        }
        self.init(
            user: user, token: token.id, key: token.key, keyMark: token.keyMark,
            issued: token.issued)
    }
}
