import SyncBytes
import SyncModel
import Testing

@testable import SyncStore

/// Rows with correct checksums and impossible numbers: the store never calculates with them.
@Suite struct ImpossibleNumbersTests {
    private typealias Room = SQLiteStorage.Room

    private static let most = UInt64(Int64.max)

    /// A closed store with one room of five records and three snapshots.
    private func makeStore() throws -> TemporaryFolder {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 13)
        for step in 1...5 {
            try fixture.append(maker.next(), to: "a").get()
            if step >= 3 { try fixture.save(maker.snapshot(), of: "a").get() }
        }
        fixture.store.finish()
        return fixture.folder
    }

    /// Changes a closed store with its own functions.
    private func change(
        _ folder: TemporaryFolder, _ body: (SQLiteStorage, inout Room) throws -> Void
    ) throws {
        let storage = try SQLiteStorage(directory: folder.path)
        defer { storage.close() }
        var room = try storage.existing("a")
        try body(storage, &room)
        let changed = room
        try storage.transaction { () throws(StoreError) in try storage.write(changed) }
    }

    /// The message of the first call that is refused; `nil` if none is.
    private func refusal(_ folder: TemporaryFolder) throws -> String? {
        do throws(StoreError) {
            let storage = try SQLiteStorage(directory: folder.path)
            defer { storage.close() }
            _ = try storage.rooms()
            _ = try storage.readLog(room: "a", after: 0, limitBytes: .max)
            _ = try storage.open(room: "a")
            while try !storage.compact(
                room: "a", olderThanTrustedMilliseconds: LogState.maximumNumber)
            {}
            return nil
        } catch {
            guard case .corrupt("a"?, let what) = error else {
                Issue.record("it is refused with \(error)")
                return nil
            }
            return what
        }
    }

    @Test func aStoreOfPossibleNumbersIsRead() throws {
        let folder = try makeStore()
        try change(folder) { _, _ in }
        #expect(try verify(folder) == [])
        #expect(try refusal(folder) == nil)
    }

    @Test(arguments: [
        [0, 5, 10, 0, 0], [7, 5, 10, 0, 0], [most, 5, 10, 0, 0], [1, most, 10, 0, 0],
        [1, 1 << 39, 10, 0, 0], [1, 5, most, 0, 0], [1, 5, 10, most, 0], [1, 5, 10, 0, most],
    ])
    func aRoomOfImpossibleNumbersIsDamaged(_ numbers: [UInt64]) throws {
        let folder = try makeStore()
        try change(folder) { _, room in
            room.state.firstSequence = numbers[0]
            room.state.lastSequence = numbers[1]
            room.state.lastRevision = numbers[2]
            room.state.logBytes = numbers[3]
            room.state.snapshotBytes = numbers[4]
        }
        let what = try #require(try refusal(folder))
        #expect(what.contains("says what can't be: records \(numbers[0]) to \(numbers[1])"))
        #expect(try verify(folder).map(\.room) == ["a"])
    }

    @Test(arguments: [[0, 0], [0, 3], [5, 3], [3, most]] as [[UInt64]])
    func aRecordOfImpossibleNumbersIsDamaged(_ revisions: [UInt64]) throws {
        let folder = try makeStore()
        try change(folder) { storage, room in
            var record = try storage.readLog(room: "a", after: 2, limitBytes: 0).records[0]
            record.firstRevision = revisions[0]
            record.lastRevision = revisions[1]
            let checksum = SQLiteRows.checksum(of: record, in: room)
            try storage.connection.execute(
                """
                UPDATE log SET first_revision = \(revisions[0]), last_revision = \(revisions[1]), \
                checksum = \(checksum) WHERE key = \(RowKey.make(room: room.id, sequence: 3))
                """)
        }
        #expect(try refusal(folder) == "record 3")
        #expect(try verify(folder).contains { $0.what == "record 3 is damaged" })
    }

    @Test func snapshotsOfImpossibleSizesAreDamaged() throws {
        let folder = try makeStore()
        try changeSnapshots(folder) { $0.storedBytes = Self.most }
        #expect(try refusal(folder)?.contains("the entry of the snapshot after record 3") == true)
        #expect(try verify(folder).count >= 3)
    }

    /// The sizes are possible, but their sum is not.
    @Test func snapshotsOfAnImpossibleSumAreAFinding() throws {
        let folder = try makeStore()
        try changeSnapshots(folder) { $0.storedBytes = LogState.maximumBytes }
        #expect(
            try verify(folder).contains {
                $0.what.hasPrefix("the snapshots have \(LogState.maximumBytes) bytes")
            })
    }

    @Test func aSnapshotBehindTheLogIsDamaged() throws {
        let folder = try makeStore()
        try changeSnapshots(folder) { header in
            if header.sequence == 5 { header.sequence = LogState.maximumSequence }
        }
        #expect(try refusal(folder) != nil)
        #expect(
            try verify(folder).contains { $0.what.contains("stands outside the log") })
    }

    private func changeSnapshots(
        _ folder: TemporaryFolder, _ body: (inout SnapshotHeader) -> Void
    ) throws {
        try change(folder) { storage, room in
            for header in try storage.rows.snapshotHeaders(of: room) {
                var changed = header
                body(&changed)
                try storage.connection.execute(
                    """
                    UPDATE snapshots SET key = \(RowKey.make(room: room.id, sequence: changed.sequence)), \
                    stored_size = \(changed.storedBytes), \
                    checksum = \(SQLiteRows.checksum(of: changed, in: room)) \
                    WHERE key = \(RowKey.make(room: room.id, sequence: header.sequence))
                    """)
            }
        }
    }
}
