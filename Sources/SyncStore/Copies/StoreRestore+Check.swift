package import SyncIO

extension StoreRestore {
    /// Checks a backup as ``restore(into:_:through:at:by:checkedBy:willReplace:from:)``
    /// does: it restores it into a folder that is removed afterwards.
    ///
    /// - Parameters:
    ///   - directory: the folder that gets that folder. It needs space for the backup twice: the
    ///     write-ahead log has all of it, before the database has.
    ///   - maximumBytes: the most bytes of a room, see ``RestoreOptions/maximumRoomBytes``.
    package static func check(
        in directory: String, through spool: SpoolFolder, atMost maximumBytes: Int,
        at reading: ClockReading, by restorer: any RoomRestorer, checkedBy replay: any RoomReplay,
        from source: @escaping (UnsafeMutableRawBufferPointer) throws(StoreError) -> Int
    ) throws(StoreError) -> RestoreSummary {
        let place = try spool.make("\(directory)/collsync-verify-")
        defer { spool.remove() }
        // Nothing of it has to be durable.
        let storage = try SQLiteStorage(
            directory: place, options: SQLiteOptions(syncMode: .relaxed))
        defer { storage.close() }
        var options = RestoreOptions()
        options.maximumRoomBytes = maximumBytes
        var restoring = StoreRestoring(
            storage, options, RevocationsBeside(nil, beside: place), at: reading, restorer, replay)
        try restoring.run(source) { () throws(StoreError) in }
        return restoring.summary
    }
}
