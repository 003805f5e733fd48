package import SyncIO

/// Rooms kept in a SQLite database in a folder of its own.
///
/// All rooms' rows (``LogState``) are held in memory too: what is written is checked against them,
/// and a row that damage made disappear is missed when the store is opened.
///
/// Invariants:
/// 1. Between calls no transaction is open, and ``roomsByName`` says what the table `rooms` says,
///    but for rooms that are behind: their rows say less than their logs, and that they do.
/// 2. A snapshot's parts are complete when its row in `snapshots` is there.
/// 3. The folder is locked as long as the connection is open.
///
/// A room's row is there so that a log which has lost its end is known. As long as that end is in
/// the write-ahead log, whose pages have checksums, a commit need not write the row: it does so for
/// the first record of a room, which puts the row behind, and all rows are brought up to date
/// before the write-ahead log goes into the database.
///
/// Costs: an append is one row in the room's last page. A commit is one sync of the write-ahead
/// log, which goes into the database every ``checkpointPages``.
package final class SQLiteStorage: Storage {
    struct Room: Equatable, Sendable {
        /// Stands for the room in keys (``RowKey``).
        var id: Int64
        var state: LogState
        /// Whether there may be records that its row knows nothing of.
        var isBehind = false
    }

    /// When the write-ahead log has so many pages, they go into the database before the next
    /// transaction, which waits for that: half a millisecond mostly, five where each page is
    /// another one.
    private static let checkpointPages = 500
    private var checkpointPages = SQLiteStorage.checkpointPages
    private static let cacheKibibytes = 16_384
    /// A step of a long call removes so many bytes, in so many rows at most, or one row.
    static let bytesPerStep: UInt64 = 1 << 20
    static let rowsPerStep: Int64 = 500
    /// How many parts of a snapshot a step removes.
    static let partsPerStep: Int64 = 2
    /// How many pages a step moves, to make the file shorter.
    static let pagesPerStep = 64
    /// So many free pages are left for what comes.
    static let keptFreePages: UInt64 = 256
    private static let pageBytes: UInt64 = 4096

    let connection: SQLiteConnection
    let statements: SQLiteStatements
    let rows: SQLiteRows
    /// What those may know who read on another connection.
    let published = PublishedRooms()
    package private(set) var usedBytes: UInt64 = 0
    private var directory: StoreDirectory?
    var roomsByName: [String: Room] = [:]
    /// The names of all rooms that are behind, and maybe of others.
    var roomsBehind: [String] = []
    /// Rooms whose rows are still to be removed.
    var deletedRooms: [Int64] = []
    /// Snapshots that are gone but for their parts.
    var doomedSnapshots: [Int64] = []
    var hasLookedForStrays = false
    /// Whether pages were moved since the last checkpoint that a sweep made.
    var hasVacuumed = false
    var nextRoom: Int64 = 1
    var saving: SnapshotSaving?

    /// Opens the store in a folder, and makes it if there is none.
    package convenience init(
        directory path: String, options: SQLiteOptions = SQLiteOptions()
    ) throws(StoreError) {
        try self.init(directory: path, options: options, isReadOnly: false)
    }

    /// - Parameter isReadOnly: leaves everything on disk as it is.
    init(directory path: String, options: SQLiteOptions, isReadOnly: Bool) throws(StoreError) {
        let directory = try StoreDirectory(path: path, mayCreate: !isReadOnly)
        if options.syncMode == .full {
            try WriteAheadLogCheck.run(path: directory.writeAheadLogPath)
            if !isReadOnly { try directory.syncWriteAheadLog() }
        }
        if !isReadOnly { try directory.protectFiles() }
        let access: SQLiteConnection.Access =
            if !isReadOnly { .create } else if directory.hasWriteAheadLog {
                .readUnchangingWithLog
            } else { .readUnchanging }
        connection = try SQLiteConnection(path: directory.databasePath, access: access)
        // A store that is refused is left as it was found.
        try connection.keepWriteAheadLogOnClose(true)
        if isReadOnly { try connection.execute("PRAGMA query_only = ON") }
        try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        try connection.execute("PRAGMA page_size = 4096")
        try Schema.establish(in: connection, mayCreate: !isReadOnly)
        // A file that does not change has no log.
        let isLogged = try connection.text("PRAGMA journal_mode = WAL") == "wal"
        guard isLogged || access == .readUnchanging else {
            throw .notAStore("the file system of '\(path)' allows no write-ahead log")
        }
        try connection.execute(
            """
            PRAGMA synchronous = \(options.syncMode == .full ? "FULL" : "NORMAL");
            PRAGMA journal_size_limit = \(Self.checkpointPages * 4096 * 4);
            PRAGMA cache_size = -\(Self.cacheKibibytes);
            PRAGMA temp_store = MEMORY;
            """)
        if let maximum = options.maximumPages {
            try connection.execute("PRAGMA max_page_count = \(maximum)")
        }
        connection.countWriteAheadPages()
        statements = try SQLiteStatements(connection)
        rows = try SQLiteRows(connection)
        self.directory = directory
        try loadRooms()
        if !isReadOnly { try checkWritable(path) }
        try connection.keepWriteAheadLogOnClose(isReadOnly)
    }

    /// Sees that what is to be stored can be: a store that can't be written would refuse every
    /// transaction.
    private func checkWritable(_ path: String) throws(StoreError) {
        do throws(StoreError) {
            try transaction { () throws(StoreError) in
                try write(roomCount: roomsByName.count)
            }
        } catch .diskFull {
            // Rooms can be read, and deleted to make room.
        } catch .notWritable(let why) {
            throw .notAStore("the store in '\(path)' can't be written: \(why)")
        }
    }

    var databasePath: String? { directory?.databasePath }

    package func close() {
        // Where they can't be written, as in a store that is only read, who opens it reads on in
        // the log.
        try? catchUpRows()
        connection.close()
        directory = nil
    }

    /// Has all that `body` writes committed, or nothing of it.
    func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        if connection.writeAheadPages >= checkpointPages {
            // Rows that can't be written, on a full disk perhaps, stay behind until the next time:
            // the log has to begin anew all the more.
            try? checkpoint()
        }
        try commit(body)
        if connection.writeAheadPages < Self.checkpointPages {
            checkpointPages = Self.checkpointPages
        }
    }

    /// Moves what is in the write-ahead log into the database.
    func checkpoint() throws(StoreError) {
        // While somebody reads, the log can't begin anew: to try that with each transaction would
        // be dear.
        checkpointPages = connection.writeAheadPages + Self.checkpointPages
        defer { connection.checkpoint() }
        try catchUpRows()
    }

    /// Writes the rows of rooms that are behind.
    private func catchUpRows() throws(StoreError) {
        if roomsBehind.isEmpty { return }
        var rooms: [Room] = []
        for name in roomsBehind {
            guard var room = roomsByName[name], room.isBehind else { continue }
            room.isBehind = false
            rooms.append(room)
        }
        try commit { () throws(StoreError) in
            for room in rooms { try write(room) }
        }
        for room in rooms { roomsByName[room.state.name] = room }
        roomsBehind = []
    }

    private func commit(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        // One that could not be rolled back, on a disk that failed, is tried again.
        if connection.isInTransaction { try statements.rollback.run() }
        try statements.begin.run()
        do throws(StoreError) {
            try body()
            usedBytes = try countUsedBytes()
            try statements.commit.run()
        } catch {
            // Some errors have rolled back already.
            if connection.isInTransaction { try? statements.rollback.run() }
            throw error
        }
    }

    private func countUsedBytes() throws(StoreError) -> UInt64 {
        // Damage may say of either that it is anything.
        let (pages, free) = (try count(statements.pageCount), try count(statements.freePageCount))
        let (bytes, overflows) = (pages - min(free, pages))
            .multipliedReportingOverflow(by: Self.pageBytes)
        guard free <= pages, !overflows else {
            throw .corrupt(room: nil, what: "\(free) of \(pages) pages are free")
        }
        return bytes
    }

    func existing(_ name: String) throws(StoreError) -> Room {
        guard let room = roomsByName[name] else { throw .noSuchRoom(name) }
        return room
    }
}

extension WorkerStore {
    /// A store on disk. Opening it blocks; it is done here, before the workers have anything to do.
    ///
    /// - Parameter reader: reads on a connection of its own, so that no commit waits for it.
    ///   Without one, the worker reads too.
    package static func sqlite(
        directory: String, options: SQLiteOptions = SQLiteOptions(), worker: any Worker,
        reader: (any Worker)? = nil
    ) throws(StoreError) -> WorkerStore {
        let storage = try SQLiteStorage(directory: directory, options: options)
        guard let reader else { return WorkerStore(storage, worker: worker) }
        return WorkerStore(
            storage, worker: worker, readsFrom: try storage.makeReader(), on: reader)
    }
}
