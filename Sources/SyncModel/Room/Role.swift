import SyncBytes

/// What a user may do in a room. Each role may also do what the ones before it may.
package enum Role: UInt32, Sendable, Choice, Comparable {
    /// Sees the room, and shows its own presence.
    case viewer = 1
    /// Changes the room.
    case editor = 2
    /// Deletes the room.
    case admin = 3

    /// The role of a number; an unknown one counts as the least role, and 0 is `nil`.
    package init?(number: UInt32) {
        if number == 0 { return nil }
        self = Role(rawValue: number) ?? .viewer
    }

    /// The name that people and JSON use.
    package var name: String {
        switch self {
        case .viewer: "viewer"
        case .editor: "editor"
        case .admin: "admin"
        }
    }

    package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
}
