import SyncCounts

/// A limit of a room, over which it refuses what it is asked for.
package enum RoomLimit: Int, CaseIterable, Sendable {
    case members
    case authors
    case items
    case sections
    case memory
    case disk
    /// The views that a connection may have of a room.
    case views
    /// The layouts that a room is shown in.
    case layouts
    /// What a view may show, and what its layout may take.
    case screen
}

extension RoomCounts {
    /// Counts a refusal by a limit.
    func count(_ limit: RoomLimit) {
        refusals.add(at: limit.rawValue)
    }
}
