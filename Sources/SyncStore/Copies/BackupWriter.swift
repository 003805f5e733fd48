import SyncBytes
package import SyncModel

/// Writes the pieces of a backup (``BackupFormat``) in large blocks.
package struct BackupWriter: ~Copyable {
    package typealias Sink = (UnsafeRawBufferPointer) throws(StoreError) -> Void

    private static let blockBytes = 1 << 18

    private let sink: Sink
    private var buffer = ByteWriter(capacity: BackupWriter.blockBytes * 2)
    private var checksum: UInt32 = 0
    package private(set) var counts = BackupCounts()

    package init(_ sink: @escaping Sink) {
        self.sink = sink
    }

    /// - Parameter revocations: their lines, each with its end.
    package mutating func begin(
        timeMilliseconds time: UInt64, revocations: [UInt8] = []
    ) throws(StoreError) {
        BackupFormat.mark.withUTF8Buffer {
            buffer.write(contentsOf: UnsafeRawBufferPointer($0))
        }
        if revocations.isEmpty { return try write(.header, BackupFormat.version, time) }
        try write(.header, BackupFormat.versionWithRevocations, time)
        try SharedBytes(revocations).withBytes { lines throws(StoreError) in
            try write(.revocations, body: lines)
        }
        counts.revocations = revocations.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
    }

    package mutating func write(_ state: LogState, snapshotCount: Int) throws(StoreError) {
        counts.rooms += 1
        try SharedBytes(state.name.withBytes { Array($0) }).withBytes { name throws(StoreError) in
            try write(
                .entry, state.createdMilliseconds, state.changedMilliseconds, state.firstSequence,
                state.lastSequence, state.lastRevision, state.logBytes, state.snapshotBytes,
                UInt64(snapshotCount), body: name)
        }
    }

    package mutating func write(_ header: SnapshotHeader) throws(StoreError) {
        counts.snapshots += 1
        try write(
            .snapshot, header.sequence, header.revision, header.trustedMilliseconds,
            header.size, header.storedBytes, UInt64(header.bodyChecksum))
    }

    package mutating func write(part: UnsafeRawBufferPointer) throws(StoreError) {
        counts.parts += 1
        try write(.part, body: part)
    }

    package mutating func write(_ record: LogRecord) throws(StoreError) {
        counts.records += 1
        try write(
            .record, record.sequence, record.firstRevision, record.lastRevision,
            record.wallClockMilliseconds, body: record.body.bytes)
    }

    package mutating func end() throws(StoreError) {
        try write(.end, counts.rooms, counts.snapshots, counts.parts, counts.records)
        try flush()
    }

    private mutating func write(
        _ kind: BackupFormat.Kind, _ numbers: UInt64...,
        body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(StoreError) {
        precondition(numbers.count == kind.numberCount, "a piece has all its numbers")
        var head = ByteWriter(capacity: 64)
        for number in numbers { head.write(fixed64: number) }
        let length = UInt64(head.count + body.count)
        checksum = BackupFormat.checksum(after: checksum, kind, length: length)
        checksum = Checksum.extend(checksum, with: head.bytes)
        checksum = Checksum.extend(checksum, with: body)
        buffer.write(byte: kind.rawValue)
        buffer.write(fixed64: length)
        buffer.write(fixed32: checksum)
        buffer.write(contentsOf: head.bytes)
        buffer.write(contentsOf: body)
        if buffer.count >= Self.blockBytes { try flush() }
    }

    private mutating func flush() throws(StoreError) {
        try sink(buffer.bytes)
        buffer.reset()
    }
}
