package import SyncIO

extension StoreRestore {
    /// Checks a backup as ``restore(into:_:at:by:checkedBy:willReplace:from:)`` does: it restores
    /// it into a folder that is removed afterwards.
    ///
    /// - Parameters:
    ///   - spool: the folder that gets that folder. It needs space for the whole backup.
    ///   - maximumBytes: the most bytes of a room, see ``RestoreOptions/maximumRoomBytes``.
    package static func check(
        in spool: String, atMost maximumBytes: Int, at reading: ClockReading,
        by restorer: any RoomRestorer, checkedBy replay: any RoomReplay,
        from source: @escaping (UnsafeMutableRawBufferPointer) throws(StoreError) -> Int
    ) throws(StoreError) -> RestoreSummary {
        let place = try makeFolder("\(spool)/collsync-verify-")
        defer { remove(place) }
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
