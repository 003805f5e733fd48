import SyncEngine
package import SyncModel
import SyncRoom
package import SyncStore

/// Makes what restored rooms go on with: an epoch of their own. A copy under another name gets an
/// id of its own, too.
package final class RestoredRooms: RoomRestorer {
    private let wallClockMilliseconds: UInt64
    private let maximumBytes: Int
    private let random: () -> UInt64

    /// - Parameters:
    ///   - maximumBytes: the most memory that a room may take.
    ///   - random: a source of randomness, for ids.
    package init(
        wallClockMilliseconds: UInt64, atMost maximumBytes: Int = .max,
        random: @escaping () -> UInt64
    ) {
        self.maximumBytes = maximumBytes
        self.wallClockMilliseconds = wallClockMilliseconds
        self.random = random
    }

    package func finish(
        room: RoomName, _ stored: StoredRoom, isCopy: Bool
    ) throws(StoreError) -> RestoredEnd {
        let state: RoomState
        do throws(RoomError) {
            state = try OpenedRoom(stored) { [maximumBytes] in $0 <= maximumBytes }.state
        } catch .tooLarge {
            throw .tooLarge(room: room, bytes: nil)
        } catch {
            throw .badCopy("room '\(room)': \(error)")
        }
        let opening = RoomOpening(random: random)
        guard isCopy else {
            return .record(
                state.makeEpochRecord(opening, wallClockMilliseconds: wallClockMilliseconds))
        }
        state.becomeAnotherRoom(opening)
        return .image(
            StoredSnapshot(
                sequence: state.sequence, revision: state.engine.revision,
                trustedMilliseconds: 0, body: state.encodeImage()))
    }
}
