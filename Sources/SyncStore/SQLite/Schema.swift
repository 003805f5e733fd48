/// The tables, and the marks that distinguish a store's database from others and from other
/// versions.
enum Schema {
    /// The version this program writes and reads. Since version 2 rooms have an id and epochs;
    /// since version 3 logs and snapshots contain nothing that was refused, and only hashes of
    /// secrets; since version 4 the commits that are no appends are counted; since version 5 a
    /// ``TrustedTime`` is noted.
    static let version = 5

    /// Older stores from this version on are upgraded where they are.
    private static let firstVersionToUpgrade = 3

    /// Marks the file, in its header, as a collsync store: "csyn".
    static let applicationID: Int64 = 0x6373_796E

    /// Each table's SQL as the database has it. Opening compares them, and refuses a schema that
    /// was changed by damage or by hand.
    static let tables = [
        // One row (``StoreCounts``). It reveals that a room's row got lost.
        """
        CREATE TABLE store (id INTEGER PRIMARY KEY, rooms INTEGER NOT NULL, \
        \(countColumns.joined(separator: ", ")), \(timeColumns.joined(separator: ", ")))
        """,
        """
        CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT NOT NULL, created INTEGER NOT NULL, \
        changed INTEGER NOT NULL, first_sequence INTEGER NOT NULL, last_sequence INTEGER NOT NULL, \
        last_revision INTEGER NOT NULL, log_bytes INTEGER NOT NULL, \
        snapshot_bytes INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        // Deleted rooms whose rows are still to be removed.
        """
        CREATE TABLE deleted_rooms (id INTEGER PRIMARY KEY)
        """,
        """
        CREATE TABLE log (key INTEGER PRIMARY KEY, first_revision INTEGER NOT NULL, \
        last_revision INTEGER NOT NULL, wall_clock INTEGER NOT NULL, checksum INTEGER NOT NULL, \
        body BLOB NOT NULL)
        """,
        """
        CREATE TABLE snapshots (key INTEGER PRIMARY KEY, revision INTEGER NOT NULL, \
        wall_clock INTEGER NOT NULL, size INTEGER NOT NULL, stored_size INTEGER NOT NULL, \
        body_checksum INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        // A part is a megabyte of the body, compressed.
        """
        CREATE TABLE snapshot_parts (snapshot INTEGER NOT NULL, part INTEGER NOT NULL, \
        body BLOB NOT NULL, PRIMARY KEY (snapshot, part))
        """,
    ]

    /// The columns of the table `store` that version 3 has not, and those that 4 has not either.
    private static let countColumns = [
        "other_commits INTEGER NOT NULL DEFAULT 0", "checksum INTEGER NOT NULL DEFAULT 0",
    ]
    private static let timeColumns = [
        "trusted_time INTEGER NOT NULL DEFAULT 0", "steady_clock INTEGER NOT NULL DEFAULT 0",
        "wall_clock INTEGER NOT NULL DEFAULT 0",
    ]

    /// The columns of the table `store` that a version has not.
    private static func missingColumns(in version: Int) -> [String] {
        (version < 4 ? countColumns : []) + (version < 5 ? timeColumns : [])
    }

    /// Makes the tables in an empty database, or checks those of an existing one, and upgrades them
    /// if they may be changed.
    ///
    /// - Returns: the version that the tables have now.
    static func establish(
        in connection: SQLiteConnection, mayCreate: Bool
    ) throws(StoreError) -> Int {
        let application = try connection.integer("PRAGMA application_id")
        let found = try connection.integer("PRAGMA user_version")
        let objects = try connection.integer("SELECT count(*) FROM sqlite_schema")
        if application == 0, found == 0, objects == 0 {
            guard mayCreate else { throw .notAStore("the database is empty") }
            try create(in: connection)
            return version
        } else {
            guard application == applicationID else {
                throw .notAStore("the database is not one of collsync")
            }
            guard found <= version else {
                throw .newerVersion(found: Int(found), supported: version)
            }
            guard found >= firstVersionToUpgrade else {
                throw .olderVersion(found: Int(found), supported: version)
            }
            try check(connection, version: Int(found))
            guard mayCreate, found < version else { return Int(found) }
            try upgrade(connection, from: Int(found))
            try check(connection, version: version)
            return version
        }
    }

    private static func create(in connection: SQLiteConnection) throws(StoreError) {
        try connection.execute(
            """
            PRAGMA auto_vacuum = INCREMENTAL;
            BEGIN;
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = \(version);
            \(tables.joined(separator: ";\n"));
            INSERT INTO store (id, rooms, checksum) VALUES (1, 0, \(StoreCounts().checksum));
            COMMIT
            """)
    }

    private static func upgrade(
        _ connection: SQLiteConnection, from version: Int
    ) throws(StoreError) {
        let rooms = try connection.integer("SELECT rooms FROM store WHERE id = 1")
        let counts = StoreCounts(rooms: UInt64(clamping: rooms))
        let additions = missingColumns(in: version).map { "ALTER TABLE store ADD COLUMN \($0);" }
        // Without a time, the checksum of version 4 stays right.
        let counting = version < 4 ? "UPDATE store SET checksum = \(counts.checksum);" : ""
        do throws(StoreError) {
            try connection.execute(
                """
                BEGIN;
                \(additions.joined())
                \(counting)
                PRAGMA user_version = \(self.version);
                COMMIT
                """)
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// The tables' SQL in a version.
    private static func tables(of version: Int) -> [String] {
        let missing = missingColumns(in: version).map { ", " + $0 }.joined()
        return missing.isEmpty ? tables : tables.map { $0.replacing(missing, with: "") }
    }

    private static func check(
        _ connection: SQLiteConnection, version: Int
    ) throws(StoreError) {
        let query = try connection.prepare(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        defer { query.reset() }
        var missing = tables(of: version)[...]
        var areKnown = true
        while areKnown, try query.step() {
            areKnown = missing.popFirst().map { query.has($0, in: 0) } ?? false
        }
        guard areKnown, missing.isEmpty else {
            throw .corrupt(room: nil, what: "the tables are not those of version \(version)")
        }
    }
}
