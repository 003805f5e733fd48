/// Which room and which epoch of its history a revision is of, as programs keep it and hand it on.
///
/// A room that is deleted and made again under its name, or that has lost changes with its store, may come
/// to the same revision with another content. With its origin a revision says which one it means.
public struct RoomOrigin: Hashable, Sendable {
    /// The room's id, in hexadecimal.
    public let id: String
    /// The epoch's id, in hexadecimal.
    public let epoch: String

    /// Describes an origin.
    public init(id: String, epoch: String) {
        self.id = id
        self.epoch = epoch
    }
}
