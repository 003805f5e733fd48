package import SyncLayout
import SyncModel
package import SyncWire

/// What another member of a room shows of itself.
package struct SeenPresence: Sendable, Equatable {
    /// The user that it has signed in as; empty if it has not.
    package var user: String
    /// What to show as the user's name; may be empty.
    package var displayName: String
    package var state: PresenceState
    /// What it drags.
    package var dragged: DraggedItem?

    package init(_ update: PresenceUpdate) {
        user = update.user
        displayName = update.displayName
        state = update.state
        dragged = update.dragged
    }
}

/// The other members of a room that share their presence, and what is visible of it.
///
/// Invariants:
/// 1. What is visible of a member is the last state that the server sent, without the items that
///    are not there: those that were deleted since, and those whose batch is still to come.
/// 2. Each change of what is visible is returned once.
///
/// Its owner knows which items are there.
///
/// # Performance
/// An update takes O(k) for the k ids that it names; a review O(k) for the k ids that all members
/// show.
struct OtherMembers {
    private var received: [Identifier: SeenPresence] = [:]
    /// Bytes of the states that the server sent.
    private(set) var byteCount = 0
    /// What is visible of each member.
    private(set) var seen: [Identifier: SeenPresence] = [:]

    /// What is visible of a member now; `nil` if it is gone.
    typealias Difference = (client: Identifier, presence: SeenPresence?)

    /// Applies an update of the server.
    ///
    /// - Parameter isInRoom: whether an item is in the room.
    mutating func apply(
        _ update: PresenceUpdate, isInRoom: (Identifier) -> Bool
    ) -> [Difference] {
        guard let client = update.client else { return removeAll() }
        if let former = received[client] { byteCount -= MemoryBytes.of(former) }
        guard !update.left else {
            received[client] = nil
            return seen.removeValue(forKey: client) == nil ? [] : [(client, nil)]
        }
        let presence = SeenPresence(update)
        byteCount += MemoryBytes.of(presence)
        received[client] = presence
        return review(client, isInRoom: isInRoom)
    }

    /// Checks again which of the items that members show are there.
    mutating func review(isInRoom: (Identifier) -> Bool) -> [Difference] {
        received.keys.flatMap { review($0, isInRoom: isInRoom) }
    }

    private mutating func review(
        _ client: Identifier, isInRoom: (Identifier) -> Bool
    ) -> [Difference] {
        guard var presence = received[client] else { return [] }
        presence.state.selected.removeAll { !isInRoom($0) }
        presence.state.highlighted.removeAll { !isInRoom($0) }
        if let item = presence.dragged?.item, !isInRoom(item) { presence.dragged = nil }
        guard seen[client] != presence else { return [] }
        seen[client] = presence
        return [(client, presence)]
    }

    /// Removes all members.
    mutating func removeAll() -> [Difference] {
        defer { self = OtherMembers() }
        return seen.keys.map { ($0, nil) }
    }
}
