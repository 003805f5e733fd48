package import SyncModel

/// What keeps rooms, one call after the other, on one thread; the calls are those of ``Store``,
/// which says what they mean.
///
/// A ``WorkerStore`` turns a storage into a store. Long work is cut into steps: a call that returns
/// `false` has not finished and is made again, with the same arguments, after other calls perhaps.
/// A step writes or removes about a megabyte.
package protocol Storage: StorageReader {
    /// How much of the disk is in use, about; 0 where that means nothing.
    var usedBytes: UInt64 { get }

    /// Makes a group of records durable by one commit.
    ///
    /// - Returns: for each record why it was refused, or `nil`; a refusal concerns that one only.
    /// - Throws: why none of the group is there.
    func append(_ group: [PendingAppend]) throws(StoreError) -> [StoreError?]

    /// Makes the room unknown; what is left of it goes with ``sweep()``.
    func deleteRoom(_ room: String) throws(StoreError)

    /// A step of saving a snapshot. Nobody sees it before the last step. Once begun, it is carried
    /// on to its end before another one is begun.
    func saveSnapshot(_ snapshot: StoredSnapshot, of room: String) throws(StoreError) -> Bool

    /// A step of forgetting old records.
    func compact(
        room: String, olderThanWallClockMilliseconds cutoff: UInt64
    ) throws(StoreError) -> Bool

    /// A step of removing what is left of deleted rooms, of snapshots that are gone and of
    /// unfinished ones, and of giving the space back. Not made while a snapshot is being saved.
    func sweep() throws(StoreError) -> Bool
}

extension Storage {
    package var usedBytes: UInt64 { 0 }
}

/// A record and the room it is for.
package struct PendingAppend: Sendable {
    package var record: LogRecord
    package var room: String

    package init(record: LogRecord, room: String) {
        self.record = record
        self.room = room
    }
}
