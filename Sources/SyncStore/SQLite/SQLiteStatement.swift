import CSQLite
import SyncBytes

/// A prepared statement. Parameters are numbered from 1, columns from 0.
///
/// Bytes are bound without being copied: they must stay where they are until ``run()`` or
/// ``reset()`` has been called.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private unowned let connection: SQLiteConnection

    /// - Parameter handle: belongs to the connection, which finalizes it.
    init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
        self.handle = handle
        self.connection = connection
    }

    /// Runs a statement that returns no rows, and makes it ready to be used again.
    func run() throws(StoreError) {
        defer { reset() }
        while try step() {}
    }

    /// Goes to the next row.
    ///
    /// - Returns: whether there is one.
    func step() throws(StoreError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        case let code: throw connection.error(code)
        }
    }

    /// Makes it ready to be used again, and clears its bindings.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    func bind(_ index: Int32, _ value: Int64) throws(StoreError) {
        try connection.check(sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ index: Int32, _ value: UInt64) throws(StoreError) {
        try bind(index, Int64(clamping: value))
    }

    func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try connection.check(
            sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil))
    }

    /// Binds text, which SQLite copies.
    func bind(_ index: Int32, _ text: String) throws(StoreError) {
        let length = UInt64(text.utf8.count)
        try connection.check(collsync_sqlite_bind_text_copy(handle, index, text, length))
    }

    var columnCount: Int32 { sqlite3_column_count(handle) }

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    /// A number that was not negative when it was stored. A negative one, which is damage, becomes
    /// 0.
    func natural(_ column: Int32) -> UInt64 {
        UInt64(clamping: integer(column))
    }

    /// The bytes of a column; valid until the next step.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let base = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(
            start: base, count: base == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    /// The text of a column, to show it; `nil` if it is longer, or not UTF-8.
    func text(_ column: Int32, atMost maximumBytes: Int) -> String? {
        let bytes = bytes(column)
        return bytes.count > maximumBytes ? nil : String(utf8: bytes)
    }

    /// Whether a column has the bytes of this text.
    func has(_ text: String, in column: Int32) -> Bool {
        text.withBytes { $0.hasSameBytes(as: bytes(column)) }
    }
}
