import Glibc
package import SyncIO
package import SyncModel

/// Replaces a room by a new image for good: nothing is left of its older log and snapshots, also
/// not in free pages of the database.
///
/// The room is replaced in one transaction. If the process is killed after that, the room has the
/// new image, and older bytes may be left in the files until the next purge.
package enum StorePurge {
    /// - Parameters:
    ///   - reading: what the clocks say now.
    ///   - maximumBytes: a room with a larger snapshot and log is not read.
    ///   - makeImage: makes the image, which is one record later than the room. The store gives it
    ///     its time.
    package static func purge(
        directory: String, room name: RoomName, at reading: ClockReading,
        atMost maximumBytes: Int = .max,
        by makeImage: (StoredRoom) throws(StoreError) -> StoredSnapshot
    ) throws(StoreError) {
        guard access("\(directory)/collsync.db", F_OK) == 0 else {
            throw .notAStore("there is no store in the folder '\(directory)'")
        }
        let storage = try SQLiteStorage(directory: directory)
        defer { storage.close() }
        let room = try storage.existing(name)
        let stored = try storage.rows.open(room) { $0 <= maximumBytes }
        try storage.purge(room: name, leaving: try makeImage(stored), at: reading)
    }
}

extension SQLiteStorage {
    fileprivate func purge(
        room name: RoomName, leaving image: StoredSnapshot, at reading: ClockReading
    ) throws(StoreError) {
        // What is removed is overwritten at once. Temporary files have only what stays.
        try connection.execute("PRAGMA secure_delete = ON; PRAGMA temp_store = FILE")
        try replace(room: name, by: image, at: reading)
        // Deleted rooms of the same name, and snapshots that were not saved to their end.
        while try !sweep() {}
        try connection.execute(
            "DELETE FROM snapshot_parts WHERE snapshot NOT IN (SELECT key FROM snapshots)")
        try checkpoint()
        try connection.execute("VACUUM")
        try connection.truncateWriteAheadLog()
    }

    /// Replaces a room by an image, in one transaction.
    private func replace(
        room name: RoomName, by image: StoredSnapshot, at reading: ClockReading
    ) throws(StoreError) {
        var room = try existing(name)
        guard image.sequence == room.state.lastSequence + 1,
            image.revision >= room.state.lastRevision
        else { throw .conflict("the image does not follow room '\(name)'") }
        room.isBehind = false
        room.state.lastSequence = image.sequence
        room.state.lastRevision = image.revision
        room.state.changedMilliseconds = reading.wallClockMilliseconds
        let now = time.resumed(at: reading)
        try countedTransaction { () throws(StoreError) in
            try replaceRows(of: &room, by: image, at: now)
            try write(room)
        }
        appendedRecords += 1
        publish(room)
        noteCommit()
    }
}
