import ModelSupport
import StoreSupport
import SyncBytes
import SyncModel
import SyncStore
import SyncWire

// Backups made from choices.

extension BackupContents {
    init(_ choices: inout InputBytes) {
        self.init()
        for name in ["a", "b", "room"].map(roomName) + Spellings.rooms where choices.oneIn(2) {
            rooms.append(Room(name: name, &choices))
        }
    }
}

extension BackupContents.Room {
    fileprivate init(name: RoomName, _ choices: inout InputBytes) {
        self.init(state: LogState(name: name, createdMilliseconds: UInt64(choices.byte())))
        state.changedMilliseconds = UInt64(choices.byte())
        state.firstSequence = 1 + UInt64(choices.below(4))
        // Without its first record, a room has a snapshot instead of it.
        let isCut = state.firstSequence > 1
        var revision: UInt64 = isCut ? UInt64(choices.byte()) : 0
        let count = choices.below(4) + (isCut ? 0 : 1)
        state.lastSequence = state.firstSequence - 1
        for _ in 0..<count {
            let record = LogRecord(
                sequence: state.lastSequence + 1, firstRevision: revision + 1,
                lastRevision: revision + UInt64(choices.below(3)),
                wallClockMilliseconds: UInt64(choices.byte()),
                body: SharedBytes(choices.list(below: 16) { $0.byte() }))
            state.lastSequence = record.sequence
            revision = record.lastRevision
            state.logBytes += UInt64(record.body.count)
            records.append(record)
        }
        state.lastRevision = revision
        let first = max(1, state.firstSequence - 1)
        for sequence in first...state.lastSequence
        where sequence == first && isCut || choices.oneIn(3) {
            let snapshot = BackupContents.Snapshot(after: sequence, in: state, &choices)
            state.snapshotBytes += snapshot.header.storedBytes
            snapshots.append(snapshot)
        }
    }
}

extension BackupContents.Snapshot {
    private static let partBytes = 1 << 20

    fileprivate init(after sequence: UInt64, in state: LogState, _ choices: inout InputBytes) {
        let body =
            choices.oneIn(32)
            ? [UInt8](repeating: choices.byte(), count: Self.partBytes + choices.below(3) - 1)
            : choices.list(below: 32) { $0.byte() }
        var rest = body[...]
        var parts: [[UInt8]] = []
        repeat {
            parts.append(Self.compressed(Array(rest.prefix(Self.partBytes))))
            rest = rest.dropFirst(Self.partBytes)
        } while !rest.isEmpty
        let header = SnapshotHeader(
            sequence: sequence, revision: state.lastRevision,
            trustedMilliseconds: UInt64(choices.byte()), size: UInt64(body.count),
            storedBytes: UInt64(parts.reduce(0) { $0 + $1.count }),
            bodyChecksum: BackupPieces.checksum(of: body))
        self.init(header: header, parts: parts)
    }

    /// Bytes in zlib's format.
    private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var memory = [UInt8](repeating: 0, count: bytes.count + 64)
        let count = memory.withUnsafeMutableBytes { memory in
            bytes.withUnsafeBytes { Deflater(hasDictionary: false).deflate($0, into: memory) }
        }
        guard let count else { finding("\(bytes.count) bytes can't be deflated") }
        let (low, high) = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let low = (sums.0 + UInt32(byte)) % 65521
            return (low, (sums.1 + low) % 65521)
        }
        let sum = [high >> 8, high, low >> 8, low].map { UInt8(truncatingIfNeeded: $0) }
        return [0x78, 0x01] + memory[..<count] + sum
    }
}
