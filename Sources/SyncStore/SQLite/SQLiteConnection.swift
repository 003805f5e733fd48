import CSQLite
import Glibc

/// A connection to a database file, used by one thread at a time. It owns the statements prepared
/// on it, which must not be used after ``close()``.
final class SQLiteConnection {
    private var handle: OpaquePointer?
    /// How many pages of the write-ahead log are to be moved into the database, if
    /// ``countWriteAheadPages()`` was called.
    private(set) var writeAheadPages = 0
    /// How many pages the log has from which it can't start again, as far as is known: moved ones
    /// count, too, if the last commit found that somebody still reads them.
    private(set) var logPages = 0

    /// How the file is opened.
    enum Access {
        case read
        /// The file is only read, has no write-ahead log, and does not change meanwhile.
        case readUnchanging
        /// The file is only read, together with its write-ahead log, and neither changes meanwhile.
        /// SQLite keeps the index of the log in memory, some bytes for each page in it, and makes
        /// no file for it.
        case readUnchangingWithLog
        /// The file is read and written, and created if it is missing.
        case create

        fileprivate var flags: Int32 {
            switch self {
            case .read, .readUnchangingWithLog: SQLITE_OPEN_READONLY
            case .readUnchanging: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }

        /// The name of SQLite's interface to the system (a VFS); `nil` for the default. Exclusive
        /// mode, which keeps the log's index in memory, takes a lock that needs a writable file;
        /// `unix-none` takes no lock.
        fileprivate var system: String? { self == .readUnchangingWithLog ? "unix-none" : nil }
    }

    init(path: String, access: Access) throws(StoreError) {
        let name = access == .readUnchanging ? SQLiteConnection.unchangingURI(path) : path
        let code = sqlite3_open_v2(
            name, &handle, access.flags | SQLITE_OPEN_NOMUTEX, access.system)
        guard code == SQLITE_OK else {
            let error = error(code)
            close()
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        if access == .readUnchangingWithLog { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    }

    deinit {
        close()
    }

    private static func unchangingURI(_ path: String) -> String {
        let escaped = path.utf8.map { byte -> String in
            let isPlain = byte == UInt8(ascii: "/") || Unicode.Scalar(byte).properties.isAlphabetic
            if byte < 0x80, isPlain { return String(Unicode.Scalar(byte)) }
            return (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16)
        }
        return "file:\(escaped.joined())?immutable=1"
    }

    /// Closes the file. Unless the write-ahead log is to be kept, SQLite moves its contents into
    /// the file and removes it.
    func close() {
        guard let handle else { return }
        while let statement = sqlite3_next_stmt(handle, nil) {
            sqlite3_finalize(statement)
        }
        sqlite3_close(handle)
        self.handle = nil
    }

    /// Waits up to this long for a lock of another connection.
    func wait(atMostMilliseconds limit: Int32) {
        sqlite3_busy_timeout(handle, limit)
    }

    func keepWriteAheadLogOnClose(_ keeps: Bool) throws(StoreError) {
        try check(collsync_sqlite_keep_wal_on_close(handle, keeps ? 1 : 0))
    }

    /// Counts the pages of the write-ahead log after each commit from now on. This replaces
    /// SQLite's automatic checkpoints, so only ``checkpoint()`` moves the log into the database.
    func countWriteAheadPages() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let connection = Unmanaged<SQLiteConnection>.fromOpaque(context)
                connection.takeUnretainedValue().didCommit(logPages: Int(pages))
                return SQLITE_OK
            }, context)
    }

    private func didCommit(logPages: Int) {
        writeAheadPages = logPages
        self.logPages = logPages
    }

    /// Moves the write-ahead log into the database, so that the log starts again. If this fails,
    /// everything stays in the log.
    func checkpoint() {
        writeAheadPages = 0
        var (pages, moved): (Int32, Int32) = (-1, -1)
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
        if pages >= 0 { logPages = Int(pages - moved) }
    }

    /// The same, and says whether the next commit starts the log again: while somebody reads what
    /// is in it, it only grows.
    func checkpointRestarts() -> Bool {
        let status = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_RESTART, nil, nil)
        if status == SQLITE_OK { didCommit(logPages: 0) }
        return status == SQLITE_OK
    }

    /// Moves the write-ahead log into the database, and empties its file.
    func truncateWriteAheadLog() throws(StoreError) {
        try check(
            sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
        didCommit(logPages: 0)
    }

    /// Prepares a statement that is used repeatedly.
    func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
        var statement: OpaquePointer?
        try check(
            sqlite3_prepare_v3(
                handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw .io("'\(sql)' is no statement") }
        return SQLiteStatement(statement, of: self)
    }

    /// Runs statements whose results are not needed.
    func execute(_ sql: String) throws(StoreError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// The number that a query returns.
    func integer(_ sql: String) throws(StoreError) -> Int64 {
        let query = try prepare(sql)
        defer { query.reset() }
        return try query.step() ? query.integer(0) : 0
    }

    /// Whether a query returns the bytes of this text.
    func answers(_ sql: String, _ text: String) throws(StoreError) -> Bool {
        let query = try prepare(sql)
        defer { query.reset() }
        return try query.step() && query.has(text, in: 0)
    }

    /// Whether a transaction has been begun.
    var isInTransaction: Bool {
        sqlite3_get_autocommit(handle) == 0
    }

    /// How many rows the last statement changed.
    var changes: Int {
        Int(sqlite3_changes64(handle))
    }

    func check(_ code: Int32) throws(StoreError) {
        if code != SQLITE_OK { throw error(code) }
    }

    /// The error for a result code that is no success.
    func error(_ code: Int32) -> StoreError {
        let what = String(cString: sqlite3_errmsg(handle))
        switch code & 0xFF {
        case SQLITE_FULL:
            return .diskFull
        case SQLITE_IOERR:
            let number = sqlite3_system_errno(handle)
            return number == ENOSPC || number == EDQUOT ? .diskFull : .io("\(what) (\(code))")
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
            return .corrupt(room: nil, what: what)
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
            return .notWritable(what)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .locked("the database is in use by another program: \(what)")
        default:
            return .io("\(what) (\(code))")
        }
    }
}
