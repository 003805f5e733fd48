import SeededRandom
import SyncBytes
import SyncModel
import Testing

@testable import SyncStore

/// Damage on disk is an error or a finding; whatever can be read is correct.
@Suite struct StoreDamageTests {
    private typealias Contents = [RoomName: Result<StoredRoom?, StoreError>]

    /// The content that was written to a room.
    private struct History {
        var records: [LogRecord] = []
        var snapshots: [StoredSnapshot] = []

        /// Whether a room that was read has this content; an older snapshot with more records is
        /// correct, too.
        func agrees(with room: StoredRoom) -> Bool {
            let first = Int(room.snapshot?.sequence ?? 0)
            return room.snapshot.map(snapshots.contains) ?? true
                && room.records == Array(records[first...])
        }
    }

    private static let rooms = (0..<4).map { RoomName("room \($0)") }

    /// An open store with rooms of several pages. Everything is in the write-ahead log until the
    /// store is finished.
    private func makeStore(seed: UInt64) throws -> (StoreFixture, [RoomName: History]) {
        let fixture = try StoreFixture(.sqlite)
        var histories: [RoomName: History] = [:]
        for (index, room) in Self.rooms.enumerated() {
            var maker = RoomMaker(seed: seed + UInt64(index))
            var history = History()
            for step in 1...60 {
                try fixture.append(maker.next(), to: room).get()
                if step % 25 == 0 {
                    history.snapshots.append(maker.snapshot(bodyBytes: 9000))
                    try fixture.save(history.snapshots[step / 25 - 1], of: room).get()
                }
            }
            history.records = maker.records
            histories[room] = history
        }
        return (fixture, histories)
    }

    private func read(
        _ path: String, _ rooms: [RoomName] = Self.rooms
    ) -> Result<Contents, StoreError> {
        Result { () throws(StoreError) in
            let store = try WorkerStore.sqlite(directory: path, worker: ManualWorker())
            let answers = rooms.map { _ in Answer<StoredRoom?>() }
            for (room, answer) in zip(rooms, answers) {
                store.open(room: room, admitting: { _ in true }, completion: answer.completion)
            }
            store.finish()
            var contents: Contents = [:]
            for (room, answer) in zip(rooms, answers) { contents[room] = answer.value }
            return contents
        }
    }

    /// Reads and verifies a damaged copy.
    ///
    /// - Returns: whether reading noticed the damage.
    private func check(
        _ damaged: [UInt8], as name: String, beside whole: String,
        expecting histories: [RoomName: History], _ comment: Comment
    ) throws -> Bool {
        let copy = TemporaryFolder()
        Files.copyStore(from: whole, to: copy.path)
        Files.write(damaged, to: "\(copy.path)/\(name)")
        let findings = try damage { try verify(copy) }
        guard case .success(let contents) = read(copy.path) else {
            #expect(!findings.isEmpty, comment)
            return true
        }
        var isNoticed = false
        for (room, history) in histories {
            guard case .success(let found) = contents[room] else {
                isNoticed = true
                continue
            }
            let isRight = found.map(history.agrees) ?? false
            #expect(isRight, comment)
        }
        if isNoticed { #expect(!findings.isEmpty, comment) }
        return isNoticed
    }

    /// Errors other than damage count as findings, too.
    private func damage(_ verify: () throws -> [StoreFinding]) throws -> [StoreFinding] {
        do {
            return try verify()
        } catch let error as StoreError {
            return [StoreFinding(room: nil, what: error.description)]
        }
    }

    @Test(arguments: 0..<8)
    func flippedBytesInTheDatabaseAreNoticed(seed: UInt64) throws {
        let (fixture, histories) = try makeStore(seed: seed)
        fixture.store.finish()
        let bytes = try #require(Files.read("\(fixture.folder.path)/\(Files.database)"))
        var random = SplitMix64(seed: seed)
        var noticed = 0
        for round in 0..<40 {
            var damaged = bytes
            var places: [Int] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // Every fourth change is in the head of a page, which describes its structure.
                var place = Int.random(in: damaged.indices, using: &random)
                if round % 4 == 0 { place = place / 4096 * 4096 + place % 16 }
                damaged[place] ^= UInt8.random(in: 1...255, using: &random)
                places.append(place)
            }
            if round % 10 == 9 { damaged.removeLast(damaged.count / 3) }
            let isNoticed = try check(
                damaged, as: Files.database, beside: fixture.folder.path, expecting: histories,
                "seed \(seed), round \(round), bytes \(places)")
            if isNoticed { noticed += 1 }
        }
        #expect(noticed > 10)
    }

    @Test(arguments: 0..<8)
    func flippedBytesInTheWriteAheadLogAreNoticed(seed: UInt64) throws {
        let (fixture, histories) = try makeStore(seed: seed)
        // Damage in the last commit looks like a torn write, so the last commit is one of a room
        // that is not checked.
        var maker = RoomMaker(seed: 0)
        let path = "\(fixture.folder.path)/\(Files.writeAheadLog)"
        let end = try #require(Files.read(path)).count
        try fixture.append(maker.next(), to: "last").get()
        let whole = TemporaryFolder()
        Files.copyStore(from: fixture.folder.path, to: whole.path)
        let bytes = try #require(Files.read("\(whole.path)/\(Files.writeAheadLog)"))
        var random = SplitMix64(seed: seed)
        for round in 0..<25 {
            var damaged = bytes
            let place = Int.random(in: 0..<end, using: &random)
            damaged[place] ^= UInt8.random(in: 1...255, using: &random)
            let isNoticed = try check(
                damaged, as: Files.writeAheadLog, beside: whole.path, expecting: histories,
                "seed \(seed), round \(round), byte \(place)")
            // The format has a few bytes without a meaning here.
            if place >= 32 { #expect(isNoticed, "seed \(seed), byte \(place)") }
        }
    }

    /// The database's head contains the number of free pages, which SQLite trusts.
    @Test(arguments: [1, 0x00FF_FFFF, 0xFFFF_FFFF] as [UInt32])
    func aWrongNumberOfFreePagesIsDamage(count: UInt32) throws {
        let (fixture, histories) = try makeStore(seed: 500)
        fixture.store.finish()
        var bytes = try #require(Files.read("\(fixture.folder.path)/\(Files.database)"))
        for index in 0..<4 {
            bytes[36 + index] = UInt8(truncatingIfNeeded: count >> (24 - 8 * index))
        }
        let isNoticed = try check(
            bytes, as: Files.database, beside: fixture.folder.path, expecting: histories,
            "\(count) free pages")
        // SQLite reads the last number as negative.
        #expect(isNoticed == (count == 0x00FF_FFFF) || count == 1)
    }

    /// Memory is allocated only for what a snapshot's parts can contain, whatever its entry says.
    @Test func aSnapshotThatSaysItIsHugeIsDamage() throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 600)
        for record in maker.next(3) { try fixture.append(record, to: "r").get() }
        try fixture.save(maker.snapshot(), of: "r").get()
        fixture.store.finish()
        let connection = try SQLiteConnection(
            path: "\(fixture.folder.path)/\(Files.database)", access: .create)
        let room = SQLiteStorage.Room(id: 1, state: LogState(name: "r", createdMilliseconds: 0))
        var header = try #require(try SQLiteRows(connection).snapshotHeaders(of: room).last)
        header.size = 1 << 50
        let update = try connection.prepare("UPDATE snapshots SET size = ?, checksum = ?")
        try update.bind(1, header.size)
        try update.bind(2, UInt64(SQLiteRows.checksum(of: header, in: room)))
        try update.run()
        connection.close()
        guard
            case .failure(.corrupt(room: "r", _)) = try read(fixture.folder.path, ["r"]).get()["r"]
        else {
            Issue.record("it is taken for a snapshot")
            return
        }
    }

    @Test func aRoomThatGotLostIsMissed() throws {
        let (fixture, _) = try makeStore(seed: 200)
        fixture.store.finish()
        let path = "\(fixture.folder.path)/\(Files.database)"
        var bytes = try #require(Files.read(path))
        // The fourth page, after the page of page numbers, is the table of rooms: a leaf, whose
        // head contains the number of rows.
        let page = 3 * 4096
        try #require(bytes[page] == 0x0D && bytes[page + 4] == Self.rooms.count)
        bytes[page + 4] -= 1
        Files.write(bytes, to: path)
        guard case .failure(.corrupt(room: nil, _)) = read(fixture.folder.path) else {
            Issue.record("the missing row was not noticed")
            return
        }
        #expect(try !verify(fixture.folder).isEmpty)
    }

    /// The pages of the database have no checksums, unlike those of the write-ahead log.
    @Test func theEndOfALogThatGotLostIsMissed() throws {
        let fixture = try StoreFixture(.sqlite)
        var maker = RoomMaker(seed: 300)
        // More commits than the write-ahead log may have pages.
        for record in maker.next(4200) { try fixture.append(record, to: "r").get() }
        let database = try #require(Files.read("\(fixture.folder.path)/\(Files.database)"))
        let copy = TemporaryFolder()
        let path = "\(copy.path)/\(Files.database)"
        Files.write(database, to: path)
        let whole = try read(copy.path, ["r"]).get()
        let records = try #require(try whole["r"]?.get()).records
        try #require((3000..<4200).contains(records.count))
        // Each leaf page in turn loses its last row. Reading notices that, unless the row is of a
        // table that is not needed.
        var pages = 0
        for page in stride(from: 0, to: database.count, by: 4096)
        where database[page] == 0x0D && database[page + 4] > 0 {
            pages += 1
            var damaged = database
            damaged[page + 4] -= 1
            Files.write(damaged, to: path)
            let found = Result { try read(copy.path, ["r"]).get()["r"]?.get() }
            if case .success(let room) = found { #expect(room?.records == records) }
        }
        #expect(pages > 100)
    }

    @Test func aTornEndIsNoDamage() throws {
        let (fixture, histories) = try makeStore(seed: 100)
        let whole = TemporaryFolder()
        Files.copyStore(from: fixture.folder.path, to: whole.path)
        let bytes = try #require(Files.read("\(whole.path)/\(Files.writeAheadLog)"))
        var random = SplitMix64(seed: 5)
        var lengths: Set<Int> = []
        for _ in 0..<40 {
            let copy = TemporaryFolder()
            Files.copyStore(from: whole.path, to: copy.path)
            let length = Int.random(in: 0...bytes.count, using: &random)
            Files.write(Array(bytes.prefix(length)), to: "\(copy.path)/\(Files.writeAheadLog)")
            let contents = try read(copy.path).get()
            #expect(try verify(copy) == [], "cut after \(length)")
            var total = 0
            for (room, found) in contents {
                guard let stored = try found.get() else { continue }
                let all = try #require(histories[room]).records
                let first = Int(stored.snapshot?.sequence ?? 0)
                #expect(stored.records == Array(all[first...].prefix(stored.records.count)))
                total += first + stored.records.count
            }
            lengths.insert(total)
        }
        #expect(lengths.count > 5)
    }
}
