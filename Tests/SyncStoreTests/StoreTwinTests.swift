import ModelSupport
import SeededRandom
import SyncBytes
import SyncModel
import SyncStore
import Testing

/// Random calls on both stores at once: they must always give the same answers.
@Suite struct StoreTwinTests {
    @Test(arguments: 0..<12)
    func memoryAndSQLiteAnswerAlike(seed: UInt64) throws {
        var twins = try Twins(seed: seed)
        for _ in 0..<150 { try twins.step() }
        let folder = twins.finish()
        var findings: [StoreFinding] = []
        let summary = try StoreVerifier.verify(directory: folder.path, replay: nil) {
            findings.append($0)
        }
        #expect(findings == [], "seed \(seed)")
        #expect(summary.findings == 0)
    }
}

private struct Twins {
    private let memory: StoreFixture
    private let sqlite: StoreFixture
    private let seed: UInt64
    private var random: SplitMix64
    private var makers: [RoomName: RoomMaker] = [:]

    init(seed: UInt64) throws {
        memory = try StoreFixture(.memory)
        sqlite = try StoreFixture(.sqlite)
        self.seed = seed
        random = SplitMix64(seed: seed)
    }

    func finish() -> TemporaryFolder {
        sqlite.store.finish()
        return sqlite.folder
    }

    mutating func step() throws {
        let room = Spellings.rooms[Int.random(in: 0..<4, using: &random)]
        var maker = makers[room] ?? RoomMaker(seed: random.next())
        defer { makers[room] = maker }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<9:
            for record in maker.next(Int.random(in: 1...8, using: &random)) {
                try same { try $0.append(record, to: room).error }
            }
        case 9..<12:
            let snapshot = maker.snapshot()
            try same { try $0.save(snapshot, of: room).error }
        case 12:
            var record = maker.records.randomElement(using: &random) ?? RoomMaker(seed: 0).sample
            record.sequence += UInt64.random(in: 0...1, using: &random)
            try same { try $0.append(record, to: room).error }
        case 13:
            let cutoff = UInt64.random(in: 1000...(maker.time + 10), using: &random)
            try same { try $0.compact(room, olderThan: cutoff).error }
        case 14:
            if Int.random(in: 0..<4, using: &random) == 0 {
                try same { try $0.delete(room).error }
                maker = RoomMaker(seed: random.next())
            }
        case 15:
            if Bool.random(using: &random) { try sqlite.reopen() } else { try sqlite.crash() }
        case 16:
            let after = UInt64.random(in: 0...(maker.sequence + 1), using: &random)
            let limit = Int.random(in: 0...500, using: &random)
            try same { try $0.readLog(room, after: after, limitBytes: limit) }
        case 17:
            let revision = UInt64.random(in: 0...(maker.revision + 1), using: &random)
            try same { try $0.readSnapshot(room, atOrBelow: revision) }
        default:
            try same { try $0.open(room) }
            try same { try $0.rooms().get().map(Self.withoutSnapshotBytes) }
            try same { try $0.summary(room).get().map(Self.withoutSnapshotBytes) }
        }
    }

    /// The summary without its snapshot bytes, because only one store compresses.
    private static func withoutSnapshotBytes(_ summary: StoredRoomSummary) -> StoredRoomSummary {
        var summary = summary
        summary.snapshotBytes = 0
        return summary
    }

    private func same<Value: Equatable>(_ call: (StoreFixture) throws -> Value) throws {
        let expected = try call(memory)
        let found = try call(sqlite)
        #expect(found == expected, "seed \(seed)")
    }
}

extension RoomMaker {
    /// An arbitrary record.
    fileprivate var sample: LogRecord {
        LogRecord(
            sequence: 1, firstRevision: 1, lastRevision: 1, wallClockMilliseconds: 1,
            body: SharedBytes([]))
    }
}
