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
    /// At most ``maximumGrants``.
    package let grants: [Grant]
    /// The token that it depends on; `nil` if it depends on none.
    package let token: TokenFacts?
    /// When the token was issued, or the certificate that it depends on, in seconds since 1970;
    /// `nil` if it depends on neither.
    package let issued: UInt64?

    package static let maximumGrants = 64
    package static let maximumDisplayNameBytes = 256

    package init(
        user: UserName, displayName: String = "", grants: [Grant], token: TokenFacts? = nil,
        certificateIssued: UInt64? = nil
    ) {
        self.user = user
        self.displayName = displayName
        self.grants = grants
        self.token = token
        issued = token?.issued ?? certificateIssued
    }

    /// The access of somebody who may do everything.
    ///
    /// - Parameter issued: from when on the certificate is valid that says who it is.
    package convenience init(unlimited user: UserName, certificateIssued issued: UInt64? = nil) {
        self.init(user: user, grants: [Grant(.admin, in: .all)], certificateIssued: issued)
    }

    /// The greatest role that the grants give in a room; `nil` if there is none. O(grants).
    package func role(in room: RoomName) -> Role? {
        var greatest: Role?
        for grant in grants where grant.rooms.names(room) {
            greatest = max(greatest ?? grant.role, grant.role)
        }
        return greatest
    }

    /// Whether it has at least a role in every room, also in those that are made later.
    package func has(_ role: Role, inAllRooms: Void) -> Bool {
        grants.contains { $0.rooms.namesAll && $0.role >= role }
    }
}

/// What is known of a verified token. Times are seconds since 1970.
package struct TokenFacts: Sendable, Hashable {
    /// The token's own id (`jti`).
    package let id: Identifier
    /// The id of the key that signed it (`kid`).
    package let key: Identifier
    /// Tells this key from others that have had the same id while the server ran.
    package let keyMark: Int
    package let issued: UInt64
    package let expires: UInt64

    package init(
        id: Identifier, key: Identifier, keyMark: Int = 0, issued: UInt64, expires: UInt64
    ) {
        self.id = id
        self.key = key
        self.keyMark = keyMark
        self.issued = issued
        self.expires = expires
    }
}
