package import SyncClient
public import SyncLayout
public import SyncModel
import SyncWire

/// Another member of a room, and what it shows of itself.
public struct MemberPresence: Sendable, Equatable {
    /// The client's id.
    public let client: Identifier
    /// The user that it has signed in as; empty if it has not.
    public let user: String
    /// What to show as the user's name; empty if the server knows none.
    public let displayName: String
    /// The ids of the items that it has selected, of those that are in the room.
    public let selected: [Identifier]
    /// The ids of the items that it has highlighted, of those that are in the room.
    public let highlighted: [Identifier]
    /// Anything else that its program shows, such as a colour or a cursor; `nil` if nothing.
    public let custom: Value?
    /// The item that it drags and, if the drag is shared, where it would be dropped; `nil` if it
    /// drags none.
    public let dragged: DraggedItem?

    /// Makes a member.
    public init(
        client: Identifier, user: String = "", displayName: String = "",
        selected: [Identifier] = [], highlighted: [Identifier] = [], custom: Value? = nil,
        dragged: DraggedItem? = nil
    ) {
        self.client = client
        self.user = user
        self.displayName = displayName
        self.selected = selected
        self.highlighted = highlighted
        self.custom = custom
        self.dragged = dragged
    }

    package init(_ client: Identifier, _ presence: SeenPresence) {
        self.init(
            client: client, user: presence.user, displayName: presence.displayName,
            selected: presence.state.selected, highlighted: presence.state.highlighted,
            custom: presence.state.custom?.value,
            dragged: presence.dragged)
    }
}

/// A change of one of the other members of a room.
public enum PresenceChange: Sendable, Equatable {
    /// A member is in the room, and shows this in place of what it showed before.
    case shows(MemberPresence)
    /// The member with this client id is not in the room any more.
    case left(Identifier)
}
