/// Items that were copied or cut, to be pasted into their room or another, by this program or another.
///
/// It is a value: whatever becomes of the items in their room does not change it.
public struct Clipboard: Sendable, Equatable {
    /// The room they came from.
    public let room: String
    /// The items as they were, in the room's order.
    public let items: [Item]
    /// Whether they are to leave their place when they are pasted; a paste ends that, so that the next one
    /// makes copies.
    public var isCut: Bool
    /// The revision of the room that showed them so, where that is known.
    public let revision: Revision?
    /// What ``revision`` is of, where that is known. What was cut is moved, or deleted where it was, only in a
    /// room that still has that history; without it, in whatever room has the name.
    public let origin: RoomOrigin?

    /// Makes a clipboard.
    public init(
        room: String, items: [Item], isCut: Bool = false, revision: Revision? = nil,
        origin: RoomOrigin? = nil
    ) {
        self.room = room
        self.items = items
        self.isCut = isCut
        self.revision = revision
        self.origin = origin
    }
}
