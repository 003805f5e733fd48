import StoreSupport
import SyncBytes
import SyncIO
import SyncModel
import Testing

@testable import SyncStore

/// A snapshot of zeros is stored in a thousandth of its bytes. A room is not read if it has more
/// bytes than it may.
@Suite struct RoomSizeTests {
    private static let zeros = 8 << 20

    /// Makes a room with a snapshot of zeros and some records after it.
    ///
    /// - Returns: how many bytes opening it reads.
    private func fill(_ fixture: StoreFixture) throws -> Int {
        var maker = RoomMaker(seed: 1)
        for record in maker.next(3) { try fixture.append(record, to: "r").get() }
        var snapshot = maker.snapshot()
        snapshot.body = SharedBytes([UInt8](repeating: 0, count: Self.zeros))
        try fixture.save(snapshot, of: "r").get()
        let tail = maker.next(4)
        for record in tail { try fixture.append(record, to: "r").get() }
        return tail.reduce(Self.zeros) { $0 + $1.readBytes }
    }

    @Test(arguments: StoreKind.allCases)
    func theBytesAreKnownBeforeTheyAreRead(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        let bytes = try fill(fixture)
        let asked = Monitor<[Int]>([])
        for limit in [bytes, bytes - 1] {
            let room = try fixture.open("r") { bytes in
                asked.withLock { $0.append(bytes) }
                return bytes <= limit
            }
            if limit == bytes {
                #expect(try room.get()?.snapshot?.body.count == Self.zeros)
            } else {
                #expect(room.error == .tooLarge(room: "r", bytes: bytes))
            }
        }
        for limit in [Self.zeros, Self.zeros - 1] {
            let snapshot = try fixture.readSnapshot("r", atOrBelow: .max - 1) { bytes in
                asked.withLock { $0.append(bytes) }
                return bytes <= limit
            }
            if limit == Self.zeros {
                #expect(try snapshot.get()?.body.count == Self.zeros)
            } else {
                #expect(snapshot.error == .tooLarge(room: "r", bytes: Self.zeros))
            }
        }
        #expect(asked.withLock { $0 } == [bytes, bytes, Self.zeros, Self.zeros])
    }

    /// Whoever reads a part or a record of this store finds it damaged.
    @Test func whatMayNotBeReadIsNotRead() throws {
        let fixture = try StoreFixture(.sqlite)
        let bytes = try fill(fixture)
        #expect(try fixture.summary("r").get().map { $0.snapshotBytes < 1 << 16 } == true)
        let connection = try SQLiteConnection(
            path: "\(fixture.folder.path)/collsync.db", access: .create)
        try connection.execute(
            """
            UPDATE snapshot_parts SET body = zeroblob(length(body));
            UPDATE log SET body = zeroblob(length(body));
            """)
        connection.close()
        #expect(
            try fixture.open("r") { _ in false }.error == .tooLarge(room: "r", bytes: bytes))
        #expect(
            try fixture.readSnapshot("r", atOrBelow: .max - 1) { _ in false }.error
                == .tooLarge(room: "r", bytes: Self.zeros))
        guard case .corrupt? = try fixture.open("r").error else {
            Issue.record("the damage is not noticed")
            return
        }
    }

    /// A page has at least one record, and that may have any size.
    @Test(arguments: StoreKind.allCases)
    func theBytesOfRecordsAreKnownBeforeTheyAreRead(kind: StoreKind) throws {
        let fixture = try StoreFixture(kind)
        var maker = RoomMaker(seed: 3)
        for size in [10, 100_000, 0, 20] {
            try fixture.append(maker.next(bodyBytes: size), to: "r").get()
        }
        let asked = Monitor<[Int]>([])
        func read(after sequence: UInt64) throws -> Result<LogPage, StoreError> {
            try fixture.readLog("r", after: sequence, limitBytes: 100) { bytes in
                asked.withLock { $0.append(bytes) }
                return bytes < 1000
            }
        }
        #expect(try read(after: 0).get().records == Array(maker.records[..<1]))
        #expect(try read(after: 1).error == .tooLarge(room: "r", bytes: 100_024))
        #expect(
            try read(after: 2).get()
                == LogPage(records: Array(maker.records[2...]), isLast: true))
        #expect(try read(after: 4).get() == LogPage(records: [], isLast: true))
        #expect(asked.withLock { $0 } == [34, 100_024, 68])
    }

    /// The length of a text ends at its first zero byte, so a text may be longer than was asked
    /// for.
    @Test func textIsNoBody() throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 4)
        var record = maker.next(bodyBytes: 0)
        record.body = SharedBytes([0] + [UInt8](repeating: 65, count: 5000))
        try fixture.append(record, to: "r").get()
        let connection = try SQLiteConnection(
            path: "\(fixture.folder.path)/collsync.db", access: .create)
        try connection.execute("UPDATE log SET body = CAST(body AS TEXT)")
        #expect(try connection.integer("SELECT length(body) FROM log") == 0)
        connection.close()
        let damage = StoreError.corrupt(room: "r", what: "record 1")
        #expect(try fixture.open("r") { $0 < 100 }.error == damage)
        #expect(try fixture.readLog("r", after: 0) { $0 < 100 }.error == damage)
    }

    /// What follows the compressed bytes is not read, but it would be loaded.
    @Test func partsHaveNoMoreThanAPart() throws {
        let fixture = try StoreFixture(.sqlite)
        _ = try fill(fixture)
        let connection = try SQLiteConnection(
            path: "\(fixture.folder.path)/collsync.db", access: .create)
        let most = Deflate.mostBytes(of: SQLiteStorage.partBytes)
        try connection.execute(
            "UPDATE snapshot_parts SET body = CAST(body || zeroblob(\(most)) AS BLOB)")
        let rows = try SQLiteRows(connection)
        var room = SQLiteStorage.Room(
            id: 1, state: LogState(name: "r", createdMilliseconds: 1))
        room.state.lastSequence = 7
        let header = try #require(try rows.snapshotHeaders(of: room).last)
        #expect(throws: StoreError.self) {
            try rows.forEachPart(of: header, of: room) { part in
                Issue.record("a part has \(part.count) bytes")
            }
        }
        connection.close()
    }

    @Test func verifyReadsNoLargerSnapshot() throws {
        let fixture = try StoreFixture(.sqlite)
        _ = try fill(fixture)
        fixture.store.finish()
        var findings: [StoreFinding] = []
        _ = try StoreVerifier.verify(
            directory: fixture.folder.path, replay: nil, atMost: Self.zeros - 1
        ) { findings.append($0) }
        #expect(
            findings.map(\.what) == [
                "the snapshot after record 3 has \(Self.zeros) bytes; a room may have"
                    + " \(Self.zeros - 1)"
            ])
        #expect(try verify(fixture.folder) == [])
    }

    private final class NoEnd: RoomRestorer {
        func finish(
            room: RoomName, _ stored: StoredRoom, isCopy: Bool
        ) throws(StoreError) -> RestoredEnd {
            throw .conflict("the room was read")
        }
    }

    /// Refused at the entry of the snapshot, before its parts.
    @Test func restoreReadsNoLargerSnapshot() throws {
        let fixture = try StoreFixture(.sqlite)
        _ = try fill(fixture)
        fixture.store.finish()
        let backup = try backUp(fixture.folder.path)
        let place = TemporaryFolder()
        for (limit, error) in [
            (Self.zeros - 1, StoreError.tooLarge(room: "r", bytes: Self.zeros)),
            (Self.zeros, .tooLarge(room: "r", bytes: try bytesToOpen(backup))),
            (.max, .conflict("the room was read")),
        ] {
            var options = RestoreOptions()
            options.maximumRoomBytes = limit
            var offset = 0
            #expect(throws: error) {
                _ = try StoreRestore.restore(
                    into: "\(place.path)/new", options,
                    at: ClockReading(steadyMilliseconds: 1, wallClockMilliseconds: 1),
                    by: NoEnd(), checkedBy: ByteReplay(),
                    willReplace: { () throws(StoreError) in }
                ) { memory throws(StoreError) in
                    let count = min(memory.count, backup.count - offset, 100)
                    memory.copyBytes(from: backup[offset..<(offset + count)])
                    offset += count
                    return count
                }
            }
            #expect(offset < backup.count / 2 || limit >= Self.zeros)
        }
    }

    private func bytesToOpen(_ backup: [UInt8]) throws -> Int {
        let records = try BackupContents(reading: backup).rooms.flatMap(\.records)
        return records.suffix(4).reduce(Self.zeros) { $0 + $1.readBytes }
    }
}
