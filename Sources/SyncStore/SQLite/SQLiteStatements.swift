/// The prepared statements of a store.
struct SQLiteStatements {
    let begin: SQLiteStatement
    let commit: SQLiteStatement
    let rollback: SQLiteStatement

    let readRooms: SQLiteStatement
    let writeRoom: SQLiteStatement
    let removeRoom: SQLiteStatement
    let readCounts: SQLiteStatement
    let writeCounts: SQLiteStatement
    let readDeleted: SQLiteStatement
    let addDeleted: SQLiteStatement
    let removeDeleted: SQLiteStatement

    let appendRecord: SQLiteStatement
    let pageCount: SQLiteStatement
    let freePageCount: SQLiteStatement
    let vacuum: SQLiteStatement

    let measureRecords: SQLiteStatement
    let removeRecords: SQLiteStatement

    let writeSnapshot: SQLiteStatement
    let removeSnapshot: SQLiteStatement
    let writePart: SQLiteStatement
    let removeSomeParts: SQLiteStatement
    let readOrphanedParts: SQLiteStatement

    /// - Parameter version: the version of the tables, which is an older one in a store that is
    ///   only read.
    init(_ connection: SQLiteConnection, version: Int) throws(StoreError) {
        func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
            try connection.prepare(sql)
        }
        begin = try prepare("BEGIN")
        commit = try prepare("COMMIT")
        rollback = try prepare("ROLLBACK")

        readRooms = try prepare(
            """
            SELECT id, name, created, changed, first_sequence, last_sequence, last_revision, \
            log_bytes, snapshot_bytes, checksum FROM rooms
            """)
        writeRoom = try prepare("REPLACE INTO rooms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        removeRoom = try prepare("DELETE FROM rooms WHERE id = ?")
        let counts = [
            "rooms", "other_commits", "checksum", "trusted_time", "steady_clock", "wall_clock",
        ].prefix(version < 4 ? 1 : version < 5 ? 3 : 6)
        readCounts = try prepare("SELECT \(counts.joined(separator: ", ")) FROM store WHERE id = 1")
        let values = counts.map { "\($0) = ?" }.joined(separator: ", ")
        writeCounts = try prepare("UPDATE store SET \(values) WHERE id = 1")
        readDeleted = try prepare("SELECT id FROM deleted_rooms")
        addDeleted = try prepare("INSERT INTO deleted_rooms VALUES (?)")
        removeDeleted = try prepare("DELETE FROM deleted_rooms WHERE id = ?")

        appendRecord = try prepare("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)")
        measureRecords = try prepare(
            """
            SELECT key, length(body) FROM log WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?
            """)
        removeRecords = try prepare("DELETE FROM log WHERE key BETWEEN ? AND ?")
        writeSnapshot = try prepare("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)")
        removeSnapshot = try prepare("DELETE FROM snapshots WHERE key = ?")
        writePart = try prepare("INSERT INTO snapshot_parts VALUES (?, ?, ?)")
        removeSomeParts = try prepare(
            """
            DELETE FROM snapshot_parts WHERE rowid IN \
            (SELECT rowid FROM snapshot_parts WHERE snapshot = ? LIMIT ?)
            """)
        readOrphanedParts = try prepare(
            """
            SELECT DISTINCT snapshot FROM snapshot_parts \
            WHERE snapshot NOT IN (SELECT key FROM snapshots) LIMIT ?
            """)

        pageCount = try prepare("PRAGMA page_count")
        freePageCount = try prepare("PRAGMA freelist_count")
        vacuum = try prepare("PRAGMA incremental_vacuum(\(SQLiteStorage.pagesPerStep))")
    }
}
