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

    /// - Parameters:
    ///   - maximumBytes: the most memory that the room may take.
    ///   - random: a source of randomness, for the epoch.
    package mutating func makeImage(
        of room: RoomName, _ stored: StoredRoom, atMost maximumBytes: Int = .max,
        random: () -> UInt64
    ) throws(StoreError) -> StoredSnapshot {
        do throws(RoomError) {
            let state = try OpenedRoom(stored) { $0 <= maximumBytes }.state
            deleted = try state.purge(items, RoomOpening(random: random))
            return StoredSnapshot(
                sequence: state.sequence, revision: state.engine.revision,
                trustedMilliseconds: 0, body: state.encodeImage())
        } catch .tooLarge {
            throw .tooLarge(room: room, bytes: nil)
        } catch {
            throw .corrupt(room: room, what: error.description)
        }
    }
}
