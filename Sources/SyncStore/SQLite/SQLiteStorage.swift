package import SyncIO
import SyncModel

/// Rooms kept in a SQLite database in a folder of its own.
///
/// All rooms' rows (``LogState``) are in memory, too. Writes are checked against them. If damage
/// has removed a row, opening the store notices that, by the number of rooms.
///
/// Invariants:
/// 1. Between calls no transaction is open, and ``roomsByName`` equals the table `rooms`, except
///    for rooms that are *behind*. Their rows don't include the last records of their logs, and are
///    marked so.
/// 2. A snapshot's parts are complete when its row in `snapshots` is there.
/// 3. The folder is locked as long as the connection is open.
///
/// A room's row reveals that a log has lost its end. While that end is in the write-ahead log,
/// whose pages have checksums, the row need not be current. So a room's row is written only with
/// its first record after a checkpoint, and marked as behind. All such rows are updated before the
/// write-ahead log goes into the database.
///
/// Commits that change rooms are numbered: each record that is appended counts, and each other
/// commit. The last number is the sum of the rooms' last records and of a counter in the table
/// `store`, so an append writes no row for it. ``TailFile`` has the number, too.
///
/// Costs: an append is one row in the room's last page. A commit is one sync of the write-ahead
/// log, which goes into the database every ``checkpointPages``.
package final class SQLiteStorage: Storage {
    struct Room: Equatable, Sendable {
        /// Identifies the room in keys (``RowKey``).
        var id: Int64
        var state: LogState
        /// Whether there may be records that its row does not include.
        var isBehind = false
    }

    /// When the write-ahead log has so many pages, they are moved into the database before the next
    /// transaction. This takes half a millisecond mostly, and five if all pages are different.
    fileprivate static let checkpointPages = 500
    private var checkpointPages = SQLiteStorage.checkpointPages
    private static let waitMilliseconds: Int32 = 5000
    private static let cacheKibibytes = 16_384
    /// How many bytes and rows a step of a long call removes at most, unless it is a single row.
    static let bytesPerStep: UInt64 = 1 << 20
    static let rowsPerStep: Int64 = 500
    /// How many parts of a snapshot a step removes.
    static let partsPerStep: Int64 = 2
    /// How many pages a step moves, to make the file shorter.
    static let pagesPerStep = 64
    /// So many free pages are kept for later writes.
    static let reservedFreePages: UInt64 = 256
    private static let pageBytes: UInt64 = 4096
    /// A page in the log, with its head.
    private static let logBytesOfPage: UInt64 = pageBytes + 24
    /// The log grows to so many pages by itself, as its file may stay as long as this.
    fileprivate static let usualLogPages = 4 * checkpointPages
    /// What removals may add to it beyond the store's limit.
    private static let reservedLogPages: UInt64 = 4096

    let connection: SQLiteConnection
    let statements: SQLiteStatements
    let rows: SQLiteRows
    /// The rooms' states for reads on another connection.
    let published = PublishedRooms()
    /// What the database uses of its file.
    private(set) var databaseBytes: UInt64 = 0
    private let maximumPages: UInt64?
    private let opening: Opening
    private var directory: StoreDirectory?
    private var tail: TailFile?
    /// Whether the database had all the commits that the file beside it had seen.
    private(set) var tailCheck = TailCheck.reached
    var counts = StoreCounts()
    /// How many records were appended to the rooms that there are.
    var appendedRecords: UInt64 = 0
    var roomsByName: [RoomName: Room] = [:]
    /// The names of all rooms that are behind, and maybe of others.
    var roomsBehind: [RoomName] = []
    /// Rooms whose rows are still to be removed.
    var deletedRooms: [Int64] = []
    /// Removed snapshots whose parts are still to be removed.
    var removedSnapshots: [Int64] = []
    var hasSearchedOrphanedParts = false
    /// Whether pages were moved since the last checkpoint that a sweep made.
    var hasVacuumed = false
    var nextRoom: Int64 = 1
    var saving: SnapshotSaving?

    /// Opens the store in a folder, and makes it if there is none.
    package convenience init(
        directory path: String, options: SQLiteOptions = SQLiteOptions()
    ) throws(StoreError) {
        try self.init(directory: path, options: options, opening: .writing)
    }

    /// How a store is opened.
    enum Opening {
        case writing
        /// Everything on disk stays as it is, and nobody else changes it.
        case unchanging
        /// Read in one transaction, while a server may be writing.
        case besideServer
    }

    init(directory path: String, options: SQLiteOptions, opening: Opening) throws(StoreError) {
        let directory = try StoreDirectory(
            path: path, mayCreate: opening == .writing, locks: opening != .besideServer)
        if options.syncMode == .full, opening != .besideServer {
            try WriteAheadLogCheck.run(path: directory.writeAheadLogPath)
            if opening == .writing { try directory.syncWriteAheadLog() }
        }
        if opening == .writing { try directory.protectFiles() }
        connection = try SQLiteConnection(
            path: directory.databasePath, access: Self.access(opening, directory))
        // If the store is refused, its files stay as they were.
        try connection.keepWriteAheadLogOnClose(true)
        if opening != .writing { try connection.execute("PRAGMA query_only = ON") }
        try connection.execute(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA cache_size = -\(Self.cacheKibibytes);
            PRAGMA temp_store = MEMORY;
            """)
        if opening == .besideServer {
            connection.wait(atMostMilliseconds: Self.waitMilliseconds)
            try connection.execute("BEGIN")
        }
        let version: Int
        if opening == .writing {
            try connection.execute("PRAGMA page_size = 4096")
            version = try Schema.establish(in: connection, mayCreate: true)
            guard try connection.answers("PRAGMA journal_mode = WAL", "wal") else {
                throw .notAStore("the file system of '\(path)' allows no write-ahead log")
            }
            try connection.prepareWriting(options)
        } else {
            version = try Schema.establish(in: connection, mayCreate: false)
        }
        statements = try SQLiteStatements(connection, version: version)
        rows = try SQLiteRows(connection)
        self.directory = directory
        self.opening = opening
        maximumPages = options.maximumPages.map { UInt64($0) }
        try loadRooms()
        if opening != .besideServer {
            tailCheck = TailCheck(
                database: commitNumber, file: TailFile.read(path: directory.tailPath))
        }
        guard opening == .writing else { return }
        try checkWritable(path)
        tail = TailFile(path: directory.tailPath)
        noteCommit()
        try connection.keepWriteAheadLogOnClose(false)
    }

    private static func access(
        _ opening: Opening, _ directory: StoreDirectory
    ) -> SQLiteConnection.Access {
        switch opening {
        case .writing: .create
        case .unchanging where directory.hasWriteAheadLog: .readUnchangingWithLog
        case .unchanging: .readUnchanging
        case .besideServer: .read
        }
    }

    /// Checks that the store can be written, as it would refuse every transaction otherwise.
    private func checkWritable(_ path: String) throws(StoreError) {
        do throws(StoreError) {
            try transaction { () throws(StoreError) in
                try write(counts)
            }
        } catch .diskFull {
            // Rooms can still be read, and deleted to free space.
        } catch .notWritable(let why) {
            throw .notAStore("the store in '\(path)' can't be written: \(why)")
        }
    }

    /// What the database uses of its file, and the write-ahead log.
    package var usedBytes: UInt64 {
        databaseBytes + UInt64(connection.logPages) * Self.logBytesOfPage
    }

    var databasePath: String? { directory?.databasePath }

    package func close() {
        // If the rows can't be written, as in a read-only store, the next opening reads the rest
        // from the log.
        if opening == .writing { try? catchUpRows() }
        connection.close()
        tail = nil
        directory = nil
    }

    /// Commits all that `body` writes, or nothing of it.
    ///
    /// - Parameter frees: whether it frees space, so that a reserve is for it.
    func transaction(
        frees: Bool = false, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        if connection.writeAheadPages >= checkpointPages {
            // If rows can't be written, perhaps on a full disk, they stay behind until the next
            // checkpoint. The log is moved into the database nevertheless.
            try? checkpoint()
        }
        try checkSpace(frees: frees)
        try commit(body)
        if connection.writeAheadPages < Self.checkpointPages {
            checkpointPages = Self.checkpointPages
        }
    }

    /// Refuses a commit for which the log would grow beyond the store's limit, because somebody
    /// reads it and it can't start again.
    private func checkSpace(frees: Bool) throws(StoreError) {
        guard let maximumPages, connection.logPages > Self.usualLogPages,
            usedBytes > (maximumPages + (frees ? Self.reservedLogPages : 0)) * Self.pageBytes
        else { return }
        try? catchUpRows()
        guard connection.checkpointRestarts() else { throw .diskFull }
    }

    /// Commits a change of rooms that is no append, and counts it. What may be done again after a
    /// loss, like removing rows that nobody can read, need not be counted.
    ///
    /// - Parameter room: the room that it removes.
    func countedTransaction(
        removing room: Room? = nil, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        // The number of the last commit must not shrink with the room's records.
        let records = room?.state.lastSequence ?? 0
        var next = counts
        next.rooms -= room == nil ? 0 : 1
        next.otherCommits += records + 1
        try transaction(frees: room != nil) { () throws(StoreError) in
            try body()
            try write(next)
        }
        counts = next
        appendedRecords -= records
        noteCommit()
    }

    /// The number of the last commit that changed rooms.
    var commitNumber: UInt64 { counts.otherCommits + appendedRecords }

    /// Writes the number of the last commit, which is durable, into the file beside the database.
    func noteCommit() {
        tail?.write(commitNumber)
    }

    /// Moves what is in the write-ahead log into the database.
    func checkpoint() throws(StoreError) {
        // During a read the log can't start again, and a try with each transaction is expensive. So
        // the next try waits for more pages.
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
        // Rolls back a transaction again that could not be rolled back, after a disk error.
        if connection.isInTransaction { try statements.rollback.run() }
        try statements.begin.run()
        do throws(StoreError) {
            try body()
            databaseBytes = try countDatabaseBytes()
            try statements.commit.run()
        } catch {
            // After some errors SQLite has rolled back already.
            if connection.isInTransaction { try? statements.rollback.run() }
            throw error
        }
    }

    private func countDatabaseBytes() throws(StoreError) -> UInt64 {
        // Damage may have changed either number to anything.
        let (pages, free) = (try count(statements.pageCount), try count(statements.freePageCount))
        let (bytes, overflows) = (pages - min(free, pages))
            .multipliedReportingOverflow(by: Self.pageBytes)
        guard free <= pages, !overflows else {
            throw .corrupt(room: nil, what: "\(free) of \(pages) pages are free")
        }
        return bytes
    }

    func existing(_ name: RoomName) throws(StoreError) -> Room {
        guard let room = roomsByName[name] else { throw .noSuchRoom(name) }
        return room
    }
}

extension SQLiteConnection {
    fileprivate func prepareWriting(_ options: SQLiteOptions) throws(StoreError) {
        try execute(
            """
            PRAGMA synchronous = \(options.syncMode == .full ? "FULL" : "NORMAL");
            PRAGMA journal_size_limit = \(SQLiteStorage.usualLogPages * 4096);
            """)
        if let maximum = options.maximumPages {
            try execute("PRAGMA max_page_count = \(maximum)")
        }
        countWriteAheadPages()
    }
}

extension WorkerStore {
    /// Opens a store on disk. This blocks the calling thread.
    ///
    /// - Parameter reader: a worker that reads on a connection of its own, so that no commit waits
    ///   for it. Without one, `worker` reads, too.
    /// - Parameter clock: measures commits, in microseconds.
    /// - Parameter report: called with whether the store has lost its end. It is opened anyway.
    package static func sqlite(
        directory: String, options: SQLiteOptions = SQLiteOptions(), worker: any Worker,
        reader: (any Worker)? = nil, clock: (@Sendable () -> UInt64)? = nil,
        report: (TailCheck) -> Void = { _ in }
    ) throws(StoreError) -> WorkerStore {
        let storage = try SQLiteStorage(directory: directory, options: options)
        report(storage.tailCheck)
        guard let reader else { return WorkerStore(storage, worker: worker, clock: clock) }
        return WorkerStore(
            storage, worker: worker, readsFrom: try storage.makeReader(), on: reader, clock: clock)
    }
}
