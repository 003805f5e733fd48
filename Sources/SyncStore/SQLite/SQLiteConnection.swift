import CSQLite
import Glibc

/// A connection to a database file, used by one thread at a time. It owns the statements prepared
/// on it, which are of no use after ``close()``.
final class SQLiteConnection {
    private var handle: OpaquePointer?
    /// How many pages the write-ahead log has, if ``countWriteAheadPages()`` was called.
    private(set) var writeAheadPages = 0

    /// What may be done to the file.
    enum Access {
        case read
        /// It is only read, has no write-ahead log, and nobody changes it meanwhile.
        case readUnchanging
        /// It is only read, together with its write-ahead log, and nobody changes either meanwhile.
        /// SQLite keeps the index of the log in memory, some bytes for each page in it, and makes
        /// no file for it.
        case readUnchangingWithLog
        /// It may be made, too.
        case create

        fileprivate var flags: Int32 {
            switch self {
            case .read, .readUnchangingWithLog: SQLITE_OPEN_READONLY
            case .readUnchanging: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }

        /// SQLite's way to the system, by name; `nil` for the usual one. Exclusive use, which keeps
        /// the index in memory, takes a lock that needs a writable file; `unix-none` takes none.
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

    /// Closes the file. Unless the write-ahead log is to be kept, what is in it goes into the file
    /// and it is removed.
    func close() {
        guard let handle else { return }
        while let statement = sqlite3_next_stmt(handle, nil) {
            sqlite3_finalize(statement)
        }
        sqlite3_close(handle)
        self.handle = nil
    }

    /// Has it wait so long where another connection is in its way.
    func wait(atMostMilliseconds limit: Int32) {
        sqlite3_busy_timeout(handle, limit)
    }

    func keepWriteAheadLogOnClose(_ keeps: Bool) throws(StoreError) {
        try check(collsync_sqlite_keep_wal_on_close(handle, keeps ? 1 : 0))
    }

    /// Notes from now on after each commit how many pages the write-ahead log has, which then goes
    /// into the database with ``checkpoint()`` only.
    func countWriteAheadPages() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let connection = Unmanaged<SQLiteConnection>.fromOpaque(context)
                connection.takeUnretainedValue().writeAheadPages = Int(pages)
                return SQLITE_OK
            }, context)
    }

    /// Moves what is in the write-ahead log into the database, so that the log begins anew. Where
    /// that fails, all stays in the log.
    func checkpoint() {
        writeAheadPages = 0
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Makes a statement that is kept and used again and again.
    func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
        var statement: OpaquePointer?
        try check(
            sqlite3_prepare_v3(
                handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw .io("'\(sql)' is no statement") }
        return SQLiteStatement(statement, of: self)
    }

    /// Runs statements that answer nothing of interest.
    func execute(_ sql: String) throws(StoreError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// The number that a query answers.
    func integer(_ sql: String) throws(StoreError) -> Int64 {
        let query = try prepare(sql)
        defer { query.reset() }
        return try query.step() ? query.integer(0) : 0
    }

    /// The text that a query answers.
    func text(_ sql: String) throws(StoreError) -> String? {
        let query = try prepare(sql)
        defer { query.reset() }
        return try query.step() ? query.text(0) : nil
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

    /// What a result code that is no success means here.
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
