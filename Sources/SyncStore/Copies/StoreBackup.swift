import Glibc
import SyncAccess
package import SyncModel

/// Writes a backup of a store that a server may be using.
///
/// Everything is read in one transaction, on a connection that only reads. Writers do not wait for
/// it, and it sees nothing of what they do meanwhile. But as long as it lasts, SQLite can't start
/// its write-ahead log again. So the transaction is given up if that log has grown beyond a limit.
package struct StoreBackup: ~Copyable {
    private let storage: SQLiteStorage
    private let revocations: RevocationsBeside
    private var writer: BackupWriter

    /// - Parameters:
    ///   - rooms: the names of the rooms; `nil` for all.
    ///   - revocations: the file with revocations; `nil` for the one in the folder. Its lines are
    ///     in the stream, whatever the rooms.
    ///   - maximumLogBytes: how large the server's write-ahead log may become meanwhile.
    ///   - sink: gets the stream, block by block. It must be fast, as the transaction lasts as long
    ///     as it does.
    /// - Throws: ``StoreError/locked(_:)`` if the log has become too large.
    package static func write(
        directory: String, rooms: [RoomName]?, revocations: String? = nil,
        maximumLogBytes: UInt64, timeMilliseconds: UInt64,
        to sink: @escaping (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) -> BackupCounts {
        // SQLite's index of the log is a file, for which a folder that can't be written has no
        // place. Nobody serves such a store.
        let storage = try SQLiteStorage(
            directory: directory, options: SQLiteOptions(),
            opening: access(directory, W_OK) == 0 ? .besideServer : .unchanging)
        defer { storage.close() }
        var backup = StoreBackup(
            storage, directory, RevocationsBeside(revocations, beside: directory),
            maximumLogBytes: maximumLogBytes, sink)
        return try backup.run(rooms, timeMilliseconds)
    }

    private init(
        _ storage: SQLiteStorage, _ directory: String, _ revocations: RevocationsBeside,
        maximumLogBytes: UInt64,
        _ sink: @escaping BackupWriter.Sink
    ) {
        let logPath = "\(directory)/collsync.db-wal"
        let firstLogBytes = Self.size(of: logPath)
        self.storage = storage
        self.revocations = revocations
        writer = BackupWriter { bytes throws(StoreError) in
            try Self.checkLog(logPath, firstLogBytes, maximumLogBytes)
            try sink(bytes)
        }
    }

    private mutating func run(
        _ names: [RoomName]?, _ time: UInt64
    ) throws(StoreError) -> BackupCounts {
        var rooms: [SQLiteStorage.Room] = []
        for name in Set(names ?? Array(storage.roomsByName.keys)).sorted() {
            rooms.append(try storage.existing(name))
        }
        // Lines that are no revocations mean nothing to the server, too.
        let lines = RevocationText(try revocations.read()).lines
        try writer.begin(timeMilliseconds: time, revocations: lines)
        for room in rooms { try write(room) }
        try writer.end()
        return writer.counts
    }

    private mutating func write(_ room: SQLiteStorage.Room) throws(StoreError) {
        let (rows, state) = (storage.rows, room.state)
        let headers = try rows.snapshotHeaders(of: room)
        try writer.write(state, snapshotCount: headers.count)
        for header in headers {
            try writer.write(header)
            try rows.forEachPart(of: header, of: room) { part throws(StoreError) in
                try writer.write(part: part)
            }
        }
        var next = state.firstSequence
        try rows.forEachRow(of: room, from: next) { sequence, record throws(StoreError) in
            guard let record, sequence == next else {
                throw .corrupt(room: state.name, what: "record \(next)")
            }
            try writer.write(record)
            next += 1
            return true
        }
        guard next == state.lastSequence + 1 else {
            throw .corrupt(room: state.name, what: "record \(next) is missing")
        }
    }

    private static func checkLog(
        _ path: String, _ first: UInt64, _ maximum: UInt64
    ) throws(StoreError) {
        let bytes = size(of: path)
        guard bytes > maximum, bytes > first else { return }
        throw .locked(
            "the server's write-ahead log has grown to \(bytes) bytes meanwhile, and may have"
                + " \(maximum): try again when less is written, or allow more")
    }

    private static func size(of path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_size) : 0
    }
}
