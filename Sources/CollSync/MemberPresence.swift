package import SyncClient
public import SyncLayout
public import SyncModel
import SyncWire

/// Another member of a room, and what it shows of itself.
public struct MemberPresence: Sendable, Equatable {
    /// The client's id.
    public let client: Identifier
    /// As whom it has signed in; empty if it has not.
    public let user: String
    /// The items that it has selected, of those that are there.
    public let selected: [Identifier]
    /// The items that it has highlighted, of those that are there.
    public let highlighted: [Identifier]
    /// Whatever else its program shows: a colour, a cursor.
    public let custom: Value?
    /// The item that it drags and, of a shared drag, where it would be dropped.
    public let dragged: DraggedItem?

    package init(_ client: Identifier, _ presence: SeenPresence) {
        self.client = client
        user = presence.user
        selected = presence.state.selected
        highlighted = presence.state.highlighted
        custom = presence.state.custom?.value
        dragged = presence.dragged
    }
}

/// What becomes different with the other members of a room.
public enum PresenceChange: Sendable, Equatable {
    /// A member is here and shows this, in place of what it showed before.
    case shows(MemberPresence)
    /// A member, by its client's id, is not here any more.
    case left(Identifier)
}
