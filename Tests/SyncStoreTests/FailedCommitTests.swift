import SyncModel
import Testing

@testable import SyncStore

/// What a store knows when a commit has failed.
@Suite struct FailedCommitTests {
    private let folder = TemporaryFolder()

    private func append(_ record: LogRecord, in storage: SQLiteStorage) throws -> [StoreError?] {
        try storage.append([PendingAppend(record: record, room: "r")])
    }

    /// The commit itself fails, behind all that is written in it.
    @Test func nothingOfItIsPublished() throws {
        let storage = try SQLiteStorage(directory: folder.path)
        defer { storage.close() }
        var maker = RoomMaker(seed: 1)
        #expect(try append(maker.next(), in: storage) == [nil])
        try storage.connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TEMP TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TEMP TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
            CREATE TEMP TRIGGER fails AFTER INSERT ON log BEGIN INSERT INTO child VALUES (1); END;
            """)
        let second = maker.next()
        #expect(throws: StoreError.self) { try append(second, in: storage) }
        #expect(storage.published["r"]?.state.lastSequence == 1)
        try storage.connection.execute("DROP TRIGGER fails")
        #expect(try append(second, in: storage) == [nil])
        #expect(storage.published["r"]?.state.lastSequence == 2)
    }

    /// A room's row is behind its log until it could be written.
    @Test func rowsThatCouldNotBeWrittenAreWrittenLater() throws {
        let storage = try SQLiteStorage(directory: folder.path)
        var maker = RoomMaker(seed: 2)
        #expect(try append(maker.next(), in: storage) == [nil])
        #expect(try append(maker.next(), in: storage) == [nil])
        #expect(storage.roomsByName["r"]?.isBehind == true)
        try storage.connection.execute("PRAGMA query_only = ON")
        #expect(throws: StoreError.self) { try storage.checkpoint() }
        #expect(storage.roomsByName["r"]?.isBehind == true)
        try storage.connection.execute("PRAGMA query_only = OFF")
        try storage.checkpoint()
        #expect(storage.roomsByName["r"]?.isBehind == false)
        storage.close()
        #expect(try verify(folder) == [])
    }

    /// What was left of it is found by a sweep, which goes on when it is saved as a whole.
    @Test func aSnapshotThatIsSavedAgainIsNotSwept() throws {
        let storage = try SQLiteStorage(directory: folder.path)
        var maker = RoomMaker(seed: 3)
        #expect(try append(maker.next(), in: storage) == [nil])
        let snapshot = maker.snapshot(bodyBytes: 4 << 20)
        #expect(try !storage.saveSnapshot(snapshot, of: "r"))
        try storage.connection.execute("PRAGMA query_only = ON")
        #expect(throws: StoreError.self) { try storage.saveSnapshot(snapshot, of: "r") }
        try storage.connection.execute("PRAGMA query_only = OFF")
        #expect(try !storage.sweep())
        #expect(storage.removedSnapshots.count == 1)
        while try !storage.saveSnapshot(snapshot, of: "r") {}
        while try !storage.sweep() {}
        let saved = try storage.readSnapshot(room: "r", atOrBelowRevision: snapshot.revision)
        #expect(saved == snapshot)
        storage.close()
        #expect(try verify(folder) == [])
    }
}
