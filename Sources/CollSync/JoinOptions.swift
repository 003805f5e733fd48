/// What one wants of a room.
public struct JoinOptions: Sendable, Hashable {
    /// Take nothing of the room but what views of it show: no snapshot and no batches come.
    public var viewOnly = false
    /// Be shown to the others in the room who want it, too, and be told of them: see
    /// ``CollectionRoom/presence``.
    public var presence = false
    /// Be told who made what batches bring: see ``RoomEvent/authors(_:)``.
    public var authors = false

    /// Makes options for the whole room.
    public init(viewOnly: Bool = false, presence: Bool = false, authors: Bool = false) {
        self.viewOnly = viewOnly
        self.presence = presence
        self.authors = authors
    }
}
