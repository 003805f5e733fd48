import SyncModel

/// Reads rooms on a connection of its own, beside the one that writes (``SQLiteStorage``): neither
/// waits for the other.
///
/// Each call reads in one transaction. Before, it looks up in ``PublishedRooms`` what it has to
/// find there. If the room is compacted or deleted between the two, it is read again.
final class SQLiteReader: StorageReader {
    private let connection: SQLiteConnection
    private let rows: SQLiteRows
    private let begin: SQLiteStatement
    private let end: SQLiteStatement
    private let published: PublishedRooms

    private static let cacheKibibytes = 2048
    private static let waitMilliseconds: Int32 = 1000

    fileprivate init(path: String, _ published: PublishedRooms) throws(StoreError) {
        connection = try SQLiteConnection(path: path, access: .read)
        connection.wait(atMostMilliseconds: Self.waitMilliseconds)
        try connection.execute(
            """
            PRAGMA query_only = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA cache_size = -\(Self.cacheKibibytes);
            """)
        rows = try SQLiteRows(connection)
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
        self.published = published
    }

    func open(
        room: RoomName, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredRoom? {
        try read(room) { room throws(StoreError) in try rows.open(room, admitting: mayRead) }
    }

    func readLog(
        room name: RoomName, after sequence: UInt64, limitBytes: Int,
        admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage {
        let page = try read(name) { room throws(StoreError) in
            try rows.readLog(
                of: room, after: sequence, limitBytes: limitBytes, admitting: mayRead)
        }
        guard let page else { throw .noSuchRoom(name) }
        return page
    }

    func readSnapshot(
        room name: RoomName, atOrBelowRevision revision: UInt64, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot? {
        let snapshot = try read(name) { room throws(StoreError) in
            try rows.readSnapshot(of: room, atOrBelowRevision: revision, admitting: mayRead)
        }
        guard let snapshot else { throw .noSuchRoom(name) }
        return snapshot
    }

    func oldestRevision(of name: RoomName) throws(StoreError) -> UInt64 {
        let revision = try read(name) { room throws(StoreError) in
            try rows.oldestRevision(of: room)
        }
        guard let revision else { throw .noSuchRoom(name) }
        return revision
    }

    func rooms() throws(StoreError) -> [StoredRoomSummary] {
        published.all.map(\.state.summary).sorted { $0.name < $1.name }
    }

    func summary(of room: RoomName) throws(StoreError) -> StoredRoomSummary? {
        published[room]?.state.summary
    }

    func close() {
        connection.close()
    }

    /// - Returns: `nil` if there is no such room.
    private func read<Value>(
        _ name: RoomName, _ body: (SQLiteStorage.Room) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        try published.read(name) { room throws(StoreError) in
            try transaction { () throws(StoreError) in try body(room) }
        }
    }

    private func transaction<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        if connection.isInTransaction { try end.run() }
        try begin.run()
        defer { try? end.run() }
        return try body()
    }
}

extension SQLiteStorage {
    /// Another connection to the same store. It must be closed before this one.
    func makeReader() throws(StoreError) -> SQLiteReader {
        guard let path = databasePath else { throw .closed }
        return try SQLiteReader(path: path, published)
    }
}
