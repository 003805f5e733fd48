package import SyncLayout
import SyncModel
package import SyncWire

/// What another member of a room shows of itself.
package struct SeenPresence: Sendable, Equatable {
    /// As whom it has signed in; empty if it has not.
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

/// The other members of a room that want to be known, and what is to be seen of them.
///
/// Invariants:
/// 1. What is seen of a member is what the server said of it last, less the items that are not
///    there: those that were deleted since, and those whose batch is still to come.
/// 2. Whatever becomes different to see is given back, once.
///
/// It leaves to its owner to say which items are there.
///
/// # Performance
/// An update takes O(k) for k ids that it names; a review O(k) for all that members show.
struct OtherMembers {
    private var told: [Identifier: SeenPresence] = [:]
    /// Bytes of what was told.
    private(set) var heldBytes = 0
    /// What is seen of each.
    private(set) var seen: [Identifier: SeenPresence] = [:]

    /// What becomes different to see of a member; `nil` says that it is gone.
    typealias Difference = (client: Identifier, presence: SeenPresence?)

    /// Takes in what the server says.
    ///
    /// - Parameter isThere: whether an item is.
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

    /// Looks again which of the items that members show are there.
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

    /// Takes all for gone.
    mutating func removeAll() -> [Difference] {
        defer { self = OtherMembers() }
        return seen.keys.map { ($0, nil) }
    }
}
