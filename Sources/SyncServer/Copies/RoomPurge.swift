import SyncBytes
import SyncEngine
package import SyncModel
import SyncRoom
package import SyncStore

/// Makes the image of a room from which items were taken out for good.
package struct RoomPurge {
    private let items: [Identifier]
    /// The items that were in the room.
    package private(set) var deleted: [Identifier] = []

    package init(_ items: [Identifier]) {
        self.items = items
    }

    /// - Parameter random: a source of randomness, for the epoch.
    package mutating func makeImage(
        of room: String, _ stored: StoredRoom, random: () -> UInt64
    ) throws(StoreError) -> StoredSnapshot {
        do throws(RoomError) {
            let state = try OpenedRoom(stored).state
            deleted = try state.purge(items, RoomOpening(random: random))
            return StoredSnapshot(
                sequence: state.sequence, revision: state.engine.revision,
                trustedMilliseconds: 0, body: state.encodeImage())
        } catch {
            throw .corrupt(room: room, what: error.description)
        }
    }
}
