/// What a client gets of a room.
public struct JoinOptions: Sendable, Hashable {
    /// Get only what views of the room show: no snapshot and no batches.
    public var viewOnly = false
    /// See the other members that want presence, too, and be seen by them: see
    /// ``CollectionRoom/presence``.
    public var presence = false
    /// Get the authors of the batches' changes: see ``RoomEvent/authors(_:)``.
    public var authors = false

    /// Makes options for the whole room.
    public init(viewOnly: Bool = false, presence: Bool = false, authors: Bool = false) {
        self.viewOnly = viewOnly
        self.presence = presence
        self.authors = authors
    }
}
