import SeededRandom
import SyncBytes
import SyncModel
import SyncStore

/// Makes the records and snapshots of a room in sequence.
struct RoomMaker {
    private(set) var records: [LogRecord] = []
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    var sequence: UInt64 { UInt64(records.count) }
    var revision: UInt64 { records.last?.lastRevision ?? 0 }
    var time: UInt64 { records.last?.wallClockMilliseconds ?? 1000 }

    /// The next record, with 0 to 3 revisions, ten milliseconds later.
    mutating func next(bodyBytes: Int? = nil) -> LogRecord {
        let size = bodyBytes ?? Int.random(in: 0...200, using: &random)
        let record = LogRecord(
            sequence: sequence + 1, firstRevision: revision + 1,
            lastRevision: revision + UInt64.random(in: 0...3, using: &random),
            wallClockMilliseconds: time + 10, body: SharedBytes(bytes(size)))
        records.append(record)
        return record
    }

    mutating func next(_ count: Int) -> [LogRecord] {
        (0..<count).map { _ in next() }
    }

    /// A snapshot after the last record.
    mutating func snapshot(bodyBytes: Int = 300) -> StoredSnapshot {
        StoredSnapshot(
            sequence: sequence, revision: revision, trustedMilliseconds: time,
            body: SharedBytes(bytes(bodyBytes)))
    }

    /// Bytes that compress a little, and are cheap to generate.
    private mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 512)
        while bytes.count < count {
            let chunk = (0..<64).map { _ in UInt8.random(in: 0...63, using: &random) }
            for _ in 0..<(count > 10_000 ? 64 : 1) { bytes += chunk }
        }
        return Array(bytes.prefix(count))
    }
}
