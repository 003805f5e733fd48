import SeededRandom
import SyncModel
import Testing

@testable import SyncStore

/// The file beside the database reveals that the database has lost its end.
@Suite struct TailTests {
    private let folder = TemporaryFolder()

    private var tailPath: String { "\(folder.path)/\(TailFile.name)" }

    /// The storage's answer to a copy of the database and its log, with the tail of today.
    private func check(_ copy: TemporaryFolder) throws -> TailCheck {
        try #require(Files.read(tailPath).map { Files.write($0, to: "\(copy.path)/collsync.tail") })
        let storage = try SQLiteStorage(
            directory: copy.path, options: SQLiteOptions(syncMode: .relaxed), opening: .unchanging)
        defer { storage.close() }
        return storage.tailCheck
    }

    private func copy() -> TemporaryFolder {
        let copy = TemporaryFolder()
        Files.copyStore(from: folder.path, to: copy.path)
        return copy
    }

    /// Calls that change rooms, in a random order. A copy from before the call is one commit
    /// behind, or as many as it has records; a copy from after it is behind nothing.
    @Test(arguments: 0..<6)
    func everyLostCommitIsFound(seed: UInt64) throws {
        let options = SQLiteOptions(syncMode: .relaxed)
        var storage = try SQLiteStorage(directory: folder.path, options: options)
        var random = SplitMix64(seed: seed)
        var makers: [RoomName: RoomMaker] = [:]
        for _ in 0..<40 {
            let before = copy()
            let number = storage.commitNumber
            let rooms = makers.keys.sorted()
            let room = rooms.randomElement(using: &random) ?? "r"
            var isChanged = true
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where !rooms.isEmpty:
                try storage.deleteRoom(room)
                makers[room] = nil
            case 1 where !rooms.isEmpty:
                guard let snapshot = makers[room]?.snapshot() else { break }
                let known = try storage.readSnapshot(room: room, atOrBelowRevision: .max - 1)
                isChanged = known?.sequence != snapshot.sequence
                while try !storage.saveSnapshot(snapshot, of: room) {}
            case 2 where !rooms.isEmpty:
                let first = storage.roomsByName[room]?.state
                while try !storage.compact(room: room, olderThanTrustedMilliseconds: .max) {}
                isChanged = storage.roomsByName[room]?.state != first
            case 3:
                while try !storage.sweep() {}
                isChanged = false
            case 4:
                storage.close()
                storage = try SQLiteStorage(directory: folder.path, options: options)
                isChanged = false
            default:
                let group = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    let name: RoomName = "room \(Int.random(in: 0..<3, using: &random))"
                    let record = makers[name, default: RoomMaker(seed: seed)].next()
                    return PendingAppend(record: record, room: name)
                }
                #expect(try storage.append(group).allSatisfy { $0 == nil })
                #expect(storage.commitNumber == number + UInt64(group.count))
            }
            let now = storage.commitNumber
            #expect(isChanged == (now > number))
            #expect(TailFile.read(path: tailPath) == .number(now))
            #expect(try check(copy()) == .reached)
            // Before the first call there are no tables.
            if number > 0 {
                let expected = isChanged ? TailCheck.lost(database: number, file: now) : .reached
                #expect(try check(before) == expected)
            }
        }
        storage.close()
        #expect(try verify(folder) == [])
    }

    private func fill(_ count: Int) throws {
        let storage = try SQLiteStorage(directory: folder.path)
        var maker = RoomMaker(seed: 1)
        for record in maker.next(count) {
            #expect(try storage.append([PendingAppend(record: record, room: "r")]) == [nil])
        }
        storage.close()
    }

    @Test func aLostEndIsAFinding() throws {
        try fill(3)
        let old = copy()
        let storage = try SQLiteStorage(directory: folder.path)
        try storage.deleteRoom("r")
        storage.close()
        Files.copyStore(from: old.path, to: folder.path)
        let what =
            "the store: its end is lost: collsync.tail has seen commit 4, but the database ends"
            + " with commit 3, so 1 are missing"
        #expect(try verify(folder).map(\.description) == [what])
        var report: TailCheck?
        let store = try WorkerStore.sqlite(
            directory: folder.path, worker: ManualWorker(), report: { report = $0 })
        store.finish()
        #expect(report == .lost(database: 3, file: 4))
        #expect(try verify(folder) == [], "a server has gone on from here")
    }

    @Test func aMissingOrTornFileIsNoFinding() throws {
        try fill(3)
        let whole = try #require(Files.read(tailPath))
        var torn: [[UInt8]] = (0..<whole.count).map { Array(whole[..<$0]) }
        for place in whole.indices {
            var bytes = whole
            bytes[place] ^= 1
            torn.append(bytes)
        }
        for bytes in torn {
            Files.write(bytes, to: tailPath)
            var findings: [StoreFinding] = []
            let summary = try StoreVerifier.verify(directory: folder.path, replay: nil) {
                findings.append($0)
            }
            #expect(findings == [] && summary.tail == .unreadable)
        }
        Files.remove(tailPath)
        let summary = try StoreVerifier.verify(directory: folder.path, replay: nil) { _ in }
        #expect(summary.findings == 0 && summary.tail == .missing)
        try SQLiteStorage(directory: folder.path).close()
        #expect(Files.read(tailPath) == whole)
    }

    /// The commit itself fails, behind all that is written in it.
    @Test func theFileIsNotAheadAfterAFailedCommit() throws {
        let storage = try SQLiteStorage(directory: folder.path)
        defer { storage.close() }
        var maker = RoomMaker(seed: 1)
        let (first, second) = (maker.next(), maker.next())
        #expect(try storage.append([PendingAppend(record: first, room: "r")]) == [nil])
        try storage.connection.execute("PRAGMA query_only = ON")
        #expect(throws: StoreError.self) {
            try storage.append([PendingAppend(record: second, room: "r")])
        }
        #expect(throws: StoreError.self) { try storage.deleteRoom("r") }
        #expect(TailFile.read(path: tailPath) == .number(1))
        try storage.connection.execute("PRAGMA query_only = OFF")
        #expect(try storage.append([PendingAppend(record: second, room: "r")]) == [nil])
        #expect(TailFile.read(path: tailPath) == .number(2))
    }

    @Test func anOlderStoreIsUpgradedWhereItIs() throws {
        try fill(3)
        try downgrade(folder, to: 3)
        let summary = try StoreVerifier.verify(directory: folder.path, replay: nil) { _ in }
        #expect(summary.findings == 0 && summary.records == 3 && summary.tail == .missing)
        let storage = try SQLiteStorage(directory: folder.path)
        #expect(storage.tailCheck == .missing)
        #expect(try storage.connection.integer("PRAGMA user_version") == Int64(Schema.version))
        try storage.deleteRoom("r")
        storage.close()
        #expect(TailFile.read(path: tailPath) == .number(4))
        #expect(try verify(folder) == [])
    }
}
