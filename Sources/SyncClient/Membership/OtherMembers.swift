package import SyncLayout
import SyncModel
package import SyncWire

/// What another member of a room shows of itself.
package struct SeenPresence: Sendable, Equatable {
    /// The user that it has signed in as; empty if it has not.
    package var user: String
    package var state: PresenceState
    /// What it drags.
    package var dragged: DraggedItem?

    package init(_ update: PresenceUpdate) {
        user = update.user
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
    private var told: [Identifier: SeenPresence] = [:]
    /// Bytes of the states that the server sent.
    private(set) var heldBytes = 0
    /// What is visible of each member.
    private(set) var seen: [Identifier: SeenPresence] = [:]

    /// What is visible of a member now; `nil` if it is gone.
    typealias Difference = (client: Identifier, presence: SeenPresence?)

    /// Applies an update of the server.
    ///
    /// - Parameter isThere: whether an item is in the room.
    mutating func apply(
        _ update: PresenceUpdate, isThere: (Identifier) -> Bool
    ) -> [Difference] {
        guard let client = update.client else { return removeAll() }
        if let former = told[client] { heldBytes -= HeldBytes.of(former) }
        guard !update.left else {
            told[client] = nil
            return seen.removeValue(forKey: client) == nil ? [] : [(client, nil)]
        }
        let presence = SeenPresence(update)
        heldBytes += HeldBytes.of(presence)
        told[client] = presence
        return review(client, isThere: isThere)
    }

    /// Checks again which of the items that members show are there.
    mutating func review(isThere: (Identifier) -> Bool) -> [Difference] {
        told.keys.flatMap { review($0, isThere: isThere) }
    }

    private mutating func review(
        _ client: Identifier, isThere: (Identifier) -> Bool
    ) -> [Difference] {
        guard var presence = told[client] else { return [] }
        presence.state.selected.removeAll { !isThere($0) }
        presence.state.highlighted.removeAll { !isThere($0) }
        if let item = presence.dragged?.item, !isThere(item) { presence.dragged = nil }
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
