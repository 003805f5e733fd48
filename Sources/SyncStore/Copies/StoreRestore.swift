import Glibc
package import SyncIO
package import SyncModel

/// What of a backup is restored, and how.
package struct RestoreOptions: Sendable {
    /// The rooms; empty for all.
    package var rooms: [RoomName] = []
    /// The name under which the only room is restored as another room.
    package var newName: RoomName?
    /// Whether rooms of the same name are replaced.
    package var replaces = false
    /// Each room is restored up to its last record that is not later; `nil` for all records.
    package var untilMilliseconds: UInt64?
    /// The file that gets the backup's revocations; `nil` for the one in the store's folder.
    package var revocations: String?
    /// A room may not have more bytes, as a snapshot and its log; nor in memory, if the
    /// ``RoomRestorer`` and the ``RoomReplay`` have the same limit.
    package var maximumRoomBytes = Int.max

    package init() {}
}

/// What was restored.
package struct RestoreSummary: Sendable, Equatable {
    package var rooms = 0
    package var records: UInt64 = 0
    /// How many records and snapshots of these the backup has.
    package var copiedRecords = 0
    package var copiedSnapshots = 0
    /// The rooms that did not exist at the requested time.
    package var absent: [RoomName] = []
    /// The rooms that have taken the place of others.
    package var replaced: [RoomName] = []
    /// How many revocations the file lacked.
    package var revocations = 0
}

/// Knows what a room is, for ``StoreRestore``.
package protocol RoomRestorer: AnyObject {
    /// Makes what a restored room goes on with.
    ///
    /// - Parameter isCopy: whether it becomes another room.
    func finish(room: RoomName, _ stored: StoredRoom, isCopy: Bool) throws(StoreError)
        -> RestoredEnd
}

/// What a restored room goes on with.
package enum RestoredEnd {
    /// One more record of its log.
    case record(LogRecord)
    /// A snapshot after its last record, which replaces its log and its other snapshots. The store
    /// gives it its time.
    case image(StoredSnapshot)
}

/// Restores a backup into a new store, or into one that nobody uses.
///
/// Nothing is visible before the whole backup was read, checked and replayed: a new store is made
/// in a folder beside its place and then renamed, and an existing one is changed in one
/// transaction. Just before it, the file with revocations gets those that it lacks, all at once. It
/// never loses one: if the process is killed between the two, it has them without the rooms.
package enum StoreRestore {
    /// - Parameters:
    ///   - spool: gets the folder of a new store until that has its place.
    ///   - reading: what the clocks say now.
    ///   - replay: replays rooms, to check that snapshots match their logs.
    ///   - willReplace: called when all is checked, before rooms take the place of others. What it
    ///     throws ends the restoration, and nothing is changed.
    ///   - source: fills some of the memory with the stream, and returns how much; 0 at its end.
    package static func restore(
        into directory: String, _ options: RestoreOptions,
        through spool: SpoolFolder = SpoolFolder(), at reading: ClockReading,
        by restorer: any RoomRestorer,
        checkedBy replay: any RoomReplay,
        willReplace: () throws(StoreError) -> Void,
        from source: @escaping (UnsafeMutableRawBufferPointer) throws(StoreError) -> Int
    ) throws(StoreError) -> RestoreSummary {
        var path = directory
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") {
            path.unicodeScalars.removeLast()
        }
        let isNew = try hasNoStore(path)
        let place = isNew ? try spool.make("\(path).restoring-") : path
        defer { spool.remove() }
        let storage = try SQLiteStorage(directory: place)
        defer { storage.close() }
        var restoring = StoreRestoring(
            storage, options, RevocationsBeside(options.revocations, beside: place), at: reading,
            restorer, replay)
        try restoring.run(source, willReplace)
        storage.close()
        if isNew { try spool.move(to: path) }
        return restoring.summary
    }

    /// Whether the store is to be made beside its place: there is nothing, or an empty folder.
    ///
    /// In a folder that has nothing but the file with revocations and the audit trail, the store is
    /// made where it is. A folder that takes its place would not have these. The file to lock comes
    /// before the database, and is alone if a process was killed between them.
    private static func hasNoStore(_ path: String) throws(StoreError) -> Bool {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return true }
            throw .notAStore("cannot use the folder '\(path)': \(String(cString: strerror(errno)))")
        }
        defer { closedir(folder) }
        var (isEmpty, hasOthers) = (true, false)
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "collsync.db" { return false }
            switch name {
            case ".", "..": break
            case RevocationsBeside.usualName, "audit", StoreDirectory.lockName: hasOthers = true
            default: isEmpty = false
            }
        }
        guard isEmpty else {
            throw .notAStore("the folder '\(path)' has no store, and is not empty")
        }
        return !hasOthers
    }
}
