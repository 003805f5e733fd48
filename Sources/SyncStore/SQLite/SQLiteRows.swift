import SyncBytes
import SyncModel

/// Reads rooms' logs and snapshots on one connection.
///
/// It reads within one transaction and checks every row. The caller passes the room's expected
/// state (``SQLiteStorage/Room``).
struct SQLiteRows {
    private let readRecords: SQLiteStatement
    private let readSnapshots: SQLiteStatement
    private let readParts: SQLiteStatement
    private let measureParts: SQLiteStatement
    private let measureRecords: SQLiteStatement

    /// How many times larger than its compressed form data is at most.
    private static let mostInflation: UInt64 = 1032

    init(_ connection: SQLiteConnection) throws(StoreError) {
        readRecords = try connection.prepare(
            """
            SELECT key, first_revision, last_revision, wall_clock, checksum, \
            \(Self.body(atMost: LogState.maximumBodyBytes)) FROM log \
            WHERE key BETWEEN ? AND ? ORDER BY key
            """)
        readSnapshots = try connection.prepare(
            """
            SELECT key, revision, wall_clock, size, stored_size, body_checksum, checksum \
            FROM snapshots WHERE key BETWEEN ? AND ? ORDER BY key
            """)
        readParts = try connection.prepare(
            """
            SELECT part, \(Self.body(atMost: Deflate.mostBytes(of: SQLiteStorage.partBytes))) \
            FROM snapshot_parts WHERE snapshot = ? ORDER BY part
            """)
        measureParts = try connection.prepare(
            "SELECT coalesce(sum(length(body)), 0) FROM snapshot_parts WHERE snapshot = ?")
        measureRecords = try connection.prepare(
            "SELECT key, length(body) FROM log WHERE key BETWEEN ? AND ? ORDER BY key")
    }

    /// An expression for the column `body`. It is `NULL`, which is damage, and the body is not
    /// loaded, if that is larger than any is written, or no blob: SQLite does not know the bytes of
    /// a text before it loads it.
    private static func body(atMost bytes: Int) -> String {
        "CASE WHEN typeof(body) = 'blob' AND length(body) <= \(bytes) THEN body END"
    }

    func open(
        _ room: SQLiteStorage.Room, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredRoom {
        let header = try snapshotHeaders(of: room).last
        let start = header?.sequence ?? 0
        let tail = try measureRecords(of: room, after: start, limitBytes: .max)
        try StoreError.check(
            room.state.name, bytes: [Int(header?.size ?? 0), tail.bytes], admitting: mayRead)
        let snapshot = try header.map { header throws(StoreError) in
            try readSnapshot(header, of: room)
        }
        let records = try readRecords(of: room, after: start, through: tail.last)
        return StoredRoom(snapshot: snapshot, records: records)
    }

    func readLog(
        of room: SQLiteStorage.Room, after sequence: UInt64, limitBytes: Int,
        admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage {
        let last = room.state.lastSequence
        guard sequence < last else { return LogPage(records: [], isLast: true) }
        guard sequence + 1 >= room.state.firstSequence else {
            throw .compacted(room: room.state.name, firstSequence: room.state.firstSequence)
        }
        let page = try measureRecords(of: room, after: sequence, limitBytes: limitBytes)
        try StoreError.check(room.state.name, bytes: [page.bytes], admitting: mayRead)
        let records = try readRecords(of: room, after: sequence, through: page.last)
        return LogPage(records: records, isLast: page.last == last)
    }

    func readSnapshot(
        of room: SQLiteStorage.Room, atOrBelowRevision revision: UInt64,
        admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot? {
        let headers = try snapshotHeaders(of: room)
        if let header = headers.last(where: { $0.revision <= revision }) {
            try StoreError.check(room.state.name, bytes: [Int(header.size)], admitting: mayRead)
            return try readSnapshot(header, of: room)
        }
        guard room.state.firstSequence == 1 else {
            throw .compacted(room: room.state.name, firstSequence: room.state.firstSequence)
        }
        return nil
    }

    func oldestRevision(of room: SQLiteStorage.Room) throws(StoreError) -> UInt64 {
        if room.state.firstSequence == 1 { return 0 }
        return try snapshotHeaders(of: room).first?.revision ?? 0
    }
}

// MARK: - The log

extension SQLiteRows {
    /// Reads the records after `sequence` up to another one.
    private func readRecords(
        of room: SQLiteStorage.Room, after sequence: UInt64, through last: UInt64
    ) throws(StoreError) -> [LogRecord] {
        var records: [LogRecord] = []
        var expected = sequence + 1
        try forEachRow(of: room, from: expected, through: last) {
            found, record throws(StoreError) in
            guard found == expected else { return false }
            guard let record else {
                throw .corrupt(room: room.state.name, what: "record \(found)")
            }
            records.append(record)
            expected += 1
            return true
        }
        guard expected == last + 1 else {
            throw .corrupt(room: room.state.name, what: "record \(expected) is missing")
        }
        return records
    }

    /// How far the records after `sequence` fit the limit, and how many bytes they count for. It
    /// reads none of them.
    private func measureRecords(
        of room: SQLiteStorage.Room, after sequence: UInt64, limitBytes: Int
    ) throws(StoreError) -> (last: UInt64, bytes: Int) {
        let query = measureRecords
        defer { query.reset() }
        // Records that were appended after the room was looked up are left out.
        try query.bind(1, RowKey.make(room: room.id, sequence: sequence + 1))
        try query.bind(2, RowKey.make(room: room.id, sequence: room.state.lastSequence))
        var measured = (last: sequence, bytes: 0)
        while try query.step() {
            let bytes = LogRecord.readBytes(ofBody: Int(clamping: query.natural(1)))
            let (sum, overflows) = measured.bytes.addingReportingOverflow(bytes)
            if overflows || sum > limitBytes, measured.last > sequence { return measured }
            measured = (RowKey.sequence(of: query.integer(0)), sum)
        }
        // If rows are missing at the end, reading notices.
        return (room.state.lastSequence, measured.bytes)
    }

    /// Calls `body` with the position and the record of each row of a room's log, until it returns
    /// `false`. The record is `nil` if the row is damaged or has impossible values.
    ///
    /// - Parameter last: the last position; `nil` for the end of the rows.
    func forEachRow(
        of room: SQLiteStorage.Room, from first: UInt64, through last: UInt64? = nil,
        _ body: (UInt64, LogRecord?) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let query = readRecords
        defer { query.reset() }
        try query.bind(1, RowKey.make(room: room.id, sequence: first))
        let end = last.map { RowKey.make(room: room.id, sequence: $0) }
        try query.bind(2, end ?? RowKey.range(of: room.id).upperBound)
        while try query.step() {
            let sequence = RowKey.sequence(of: query.integer(0))
            let record = LogRecord(
                sequence: sequence, firstRevision: query.natural(1),
                lastRevision: query.natural(2), wallClockMilliseconds: query.natural(3),
                body: SharedBytes(copying: query.bytes(5)))
            let isWhole =
                record.isPossible
                && query.integer(4) == Int64(Self.checksum(of: record, in: room))
            guard try body(sequence, isWhole ? record : nil) else { return }
        }
    }

    static func checksum(of record: LogRecord, in room: SQLiteStorage.Room) -> UInt32 {
        var checksum = Checksum(of: "record", room: room.state.name)
        checksum.add(record.sequence)
        checksum.add(record.firstRevision)
        checksum.add(record.lastRevision)
        checksum.add(record.wallClockMilliseconds)
        checksum.add(record.body.bytes)
        return checksum.value
    }
}

// MARK: - Snapshots

extension SQLiteRows {
    /// A room's snapshots, oldest first.
    func snapshotHeaders(of room: SQLiteStorage.Room) throws(StoreError) -> [SnapshotHeader] {
        var headers: [SnapshotHeader] = []
        try forEachSnapshot(of: room) { sequence, header throws(StoreError) in
            guard let header, sequence > headers.last?.sequence ?? 0 else {
                throw .corrupt(
                    room: room.state.name,
                    what: "the entry of the snapshot after record \(sequence)")
            }
            headers.append(header)
        }
        return headers
    }

    /// Calls `body` with the position and the header of each snapshot of a room. The header is
    /// `nil` if the row is damaged or has impossible values.
    func forEachSnapshot(
        of room: SQLiteStorage.Room, _ body: (UInt64, SnapshotHeader?) throws(StoreError) -> Void
    ) throws(StoreError) {
        let query = readSnapshots
        defer { query.reset() }
        let range = RowKey.range(of: room.id)
        try query.bind(1, range.lowerBound)
        try query.bind(2, range.upperBound)
        while try query.step() {
            let header = SnapshotHeader(
                sequence: RowKey.sequence(of: query.integer(0)), revision: query.natural(1),
                trustedMilliseconds: query.natural(2), size: query.natural(3),
                storedBytes: query.natural(4), bodyChecksum: UInt32(clamping: query.natural(5)))
            let isWhole =
                header.isPossible
                && query.integer(6) == Int64(Self.checksum(of: header, in: room))
            try body(header.sequence, isWhole ? header : nil)
        }
    }

    /// The keys of all rows of snapshots of a room, also of damaged ones.
    func snapshotKeys(ofRoom room: Int64) throws(StoreError) -> [Int64] {
        let query = readSnapshots
        defer { query.reset() }
        let range = RowKey.range(of: room)
        try query.bind(1, range.lowerBound)
        try query.bind(2, range.upperBound)
        var keys: [Int64] = []
        while try query.step() { keys.append(query.integer(0)) }
        return keys
    }

    func readSnapshot(
        _ header: SnapshotHeader, of room: SQLiteStorage.Room
    ) throws(StoreError) -> StoredSnapshot {
        let damaged = StoreError.corrupt(
            room: room.state.name, what: "the snapshot after record \(header.sequence)")
        let key = RowKey.make(room: room.id, sequence: header.sequence)
        // Memory is allocated only if the stored parts can have the size that the header says.
        let stored = try partBytes(of: key)
        guard stored == header.storedBytes, stored >= header.size / Self.mostInflation else {
            throw damaged
        }
        let query = readParts
        defer { query.reset() }
        try query.bind(1, key)
        var failure: StoreError?
        let body = SharedBytes(count: Int(header.size)) { memory in
            do throws(StoreError) {
                if try !Self.fill(memory, from: query) { failure = damaged }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard Checksum.extend(0, with: body.bytes) == header.bodyChecksum else { throw damaged }
        return StoredSnapshot(
            sequence: header.sequence, revision: header.revision,
            trustedMilliseconds: header.trustedMilliseconds, body: body)
    }

    /// Calls `body` with each part of a snapshot as it is stored, and checks that the parts are
    /// undamaged.
    func forEachPart(
        of header: SnapshotHeader, of room: SQLiteStorage.Room,
        _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let damaged = StoreError.corrupt(
            room: room.state.name, what: "the snapshot after record \(header.sequence)")
        var check = PartCheck(of: header)
        let query = readParts
        defer { query.reset() }
        try query.bind(1, RowKey.make(room: room.id, sequence: header.sequence))
        while try query.step() {
            guard query.integer(0) == check.count, check.add(query.bytes(1)) else { throw damaged }
            try body(query.bytes(1))
        }
        guard check.isWhole else { throw damaged }
    }

    /// How many bytes a snapshot's stored parts have.
    private func partBytes(of snapshot: Int64) throws(StoreError) -> UInt64 {
        let query = measureParts
        defer { query.reset() }
        try query.bind(1, snapshot)
        return try query.step() ? query.natural(0) : 0
    }

    /// Decompresses parts one after the other.
    ///
    /// - Returns: whether they are undamaged and fill the memory exactly.
    private static func fill(
        _ memory: UnsafeMutableRawBufferPointer, from parts: SQLiteStatement
    ) throws(StoreError) -> Bool {
        var offset = 0
        var part: Int64 = 0
        while try parts.step() {
            let end = min(offset + SQLiteStorage.partBytes, memory.count)
            let slice = UnsafeMutableRawBufferPointer(rebasing: memory[offset..<end])
            guard parts.integer(0) == part, Deflate.decompress(parts.bytes(1), into: slice) else {
                return false
            }
            offset = end
            part += 1
        }
        return offset == memory.count
    }

    static func checksum(of header: SnapshotHeader, in room: SQLiteStorage.Room) -> UInt32 {
        var checksum = Checksum(of: "snapshot", room: room.state.name)
        checksum.add(header.sequence)
        checksum.add(header.revision)
        checksum.add(header.trustedMilliseconds)
        checksum.add(header.size)
        checksum.add(header.storedBytes)
        checksum.add(UInt64(header.bodyChecksum))
        return checksum.value
    }
}
