/// The room and the epoch of its history that a revision belongs to. Programs may keep it and pass
/// it on.
///
/// A room that was deleted and made again under its name, or whose store was restored from a
/// backup, can reach the same revision with other content. A revision with its origin names one
/// content.
public struct RoomOrigin: Hashable, Sendable {
    /// The room's id, in hexadecimal.
    public let id: String
    /// The epoch's id, in hexadecimal.
    public let epoch: String

    /// Makes an origin of texts that came from another one. They are not checked: an origin that is
    /// no room's is refused with `roomChanged`, or means a room at revision 0, which has nothing.
    public init(id: String, epoch: String) {
        self.id = id
        self.epoch = epoch
    }
}
