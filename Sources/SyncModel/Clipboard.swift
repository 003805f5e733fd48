/// Items that were copied or cut, to be pasted into their room or another one, by this program or
/// another one.
///
///     var clipboard = try await room.cut(["milk"])
///     let pasted = try await other.paste(&clipboard, to: .start(of: "main"), from: room)
///     print(pasted.ids, clipboard.isCut)
///
/// It is a value: later changes in the room do not change it. `CollSyncJSON` writes and reads it as
/// text.
public struct Clipboard: Sendable, Equatable {
    /// The name of the room that they came from.
    public let room: String
    /// The items as they were then, in the room's order.
    public let items: [Item]
    /// Whether the items leave their place when they are pasted. A paste sets it to `false`, so
    /// that the next one makes copies.
    public var isCut: Bool
    /// The room's revision that the items were taken from; `nil` if that is not known.
    public let revision: Revision?
    /// The history that ``revision`` is of; `nil` if that is not known. Items that were cut are
    /// moved, or deleted where they were, only in a room that still has that history; with `nil`,
    /// in any room of that name.
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
