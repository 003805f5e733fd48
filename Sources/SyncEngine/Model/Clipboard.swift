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

    /// Makes a clipboard.
    public init(room: String, items: [Item], isCut: Bool = false) {
        self.room = room
        self.items = items
        self.isCut = isCut
    }
}
