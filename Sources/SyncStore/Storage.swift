package import SyncIO
package import SyncModel

/// Stores rooms. It is called on one thread, one call after the other. ``Store`` documents the
/// calls.
///
/// A ``WorkerStore`` turns a storage into a store. Long work is done in steps: a call that returns
/// `false` has not finished and is made again with the same arguments, perhaps after other calls. A
/// step writes or removes about a megabyte.
package protocol Storage: StorageReader {
    /// About how many bytes the store uses; 0 if it does not count them.
    var usedBytes: UInt64 { get }

    /// What the storage knows of time.
    var time: StoreTime { get }

    /// Keeps the time. If it is lost, the one before is resumed, which does no harm.
    func note(_ time: TrustedTime) throws(StoreError)

    /// Makes a group of records durable by one commit.
    ///
    /// - Returns: for each record why it was refused, or `nil`; a refusal concerns only that
    ///   record.
    /// - Throws: why the commit failed for all of them.
    func append(_ group: [PendingAppend]) throws(StoreError) -> [StoreError?]

    /// Removes the room from the list; ``sweep()`` removes its rows later.
    func deleteRoom(_ room: RoomName) throws(StoreError)

    /// Does a step of saving a snapshot, which becomes visible with the last step. A save that has
    /// begun is continued to its end before another one begins.
    func saveSnapshot(_ snapshot: StoredSnapshot, of room: RoomName) throws(StoreError) -> Bool

    /// Does a step of removing old records.
    func compact(
        room: RoomName, olderThanTrustedMilliseconds cutoff: UInt64
    ) throws(StoreError) -> Bool

    /// Does a step of removing the remains of deleted rooms, removed snapshots and unfinished ones,
    /// and of returning their space. Must not be called while a snapshot is being saved.
    func sweep() throws(StoreError) -> Bool
}

extension Storage {
    package var usedBytes: UInt64 { 0 }
}

/// A record and the room it is for.
package struct PendingAppend: Sendable {
    package var record: LogRecord
    package var room: RoomName

    package init(record: LogRecord, room: RoomName) {
        self.record = record
        self.room = room
    }
}
