import ModelSupport
import SyncModel

/// The rooms that strangers and guests meet in. The two differ by their spelling only.
enum FuzzedRooms {
    static let first = roomName(Spellings.composed)
    static let second = roomName(Spellings.decomposed)

    /// The rooms in a URL.
    static let firstPath = "/v1/rooms/caf%C3%A9"
    static let secondPath = "/v1/rooms/cafe%CC%81"
}
