import SyncBytes

extension SQLiteStorage {
    package func append(_ group: [PendingAppend]) throws(StoreError) -> [StoreError?] {
        var refusals: [StoreError?] = []
        refusals.reserveCapacity(group.count)
        var changed: [String: Room] = [:]
        var newlyBehind: [String] = []
        var added: Int64 = 0
        try transaction { () throws(StoreError) in
            for append in group {
                var room: Room
                if let known = changed[append.room] ?? roomsByName[append.room] {
                    room = known
                } else {
                    room = newRoom(named: append.room, number: added, at: append.record)
                }
                if let refusal = refusal(of: append.record, by: &room) {
                    refusals.append(refusal)
                    continue
                }
                if room.state.lastSequence == 1 { added += 1 }
                try write(append.record, to: room)
                if !room.isBehind {
                    room.isBehind = true
                    newlyBehind.append(append.room)
                }
                changed[append.room] = room
                refusals.append(nil)
            }
            for name in newlyBehind {
                if let room = changed[name] { try write(room) }
            }
            if added > 0 { try write(roomCount: roomsByName.count + Int(added)) }
        }
        roomsByName.merge(changed) { $1 }
        roomsBehind += newlyBehind
        nextRoom += added
        return refusals
    }

    package func open(room name: String) throws(StoreError) -> StoredRoom? {
        guard let room = roomsByName[name] else { return nil }
        let header = try snapshotHeaders(of: room).last
        let snapshot = try header.map { header throws(StoreError) in
            try readSnapshot(header, of: room)
        }
        let records = try readRecords(of: room, after: header?.sequence ?? 0, limitBytes: .max)
        return StoredRoom(snapshot: snapshot, records: records)
    }

    package func readLog(
        room name: String, after sequence: UInt64, limitBytes: Int
    ) throws(StoreError) -> LogPage {
        let room = try existing(name)
        let last = room.state.lastSequence
        guard sequence < last else { return LogPage(records: [], isLast: true) }
        guard sequence + 1 >= room.state.firstSequence else {
            throw .compacted(room: name, firstSequence: room.state.firstSequence)
        }
        let records = try readRecords(of: room, after: sequence, limitBytes: limitBytes)
        return LogPage(records: records, isLast: records.last?.sequence == last)
    }

    private func newRoom(named name: String, number: Int64, at record: LogRecord) -> Room {
        let time = record.wallClockMilliseconds
        return Room(
            id: nextRoom + number, state: RoomState(name: name, createdMilliseconds: time))
    }

    private func refusal(of record: LogRecord, by room: inout Room) -> StoreError? {
        guard room.id < RowKey.roomLimit else {
            return .conflict("the store has had too many rooms")
        }
        do throws(StoreError) {
            try room.state.append(record)
            return nil
        } catch {
            return error
        }
    }

    /// Writes a record's row; the connection must be in a transaction.
    private func write(_ record: LogRecord, to room: Room) throws(StoreError) {
        let append = statements.appendRecord
        try append.bind(1, RowKey.make(room: room.id, sequence: record.sequence))
        try append.bind(2, record.firstRevision)
        try append.bind(3, record.lastRevision)
        try append.bind(4, record.wallClockMilliseconds)
        try append.bind(5, UInt64(Self.checksum(of: record, in: room)))
        try append.bind(6, record.body.bytes)
        try append.run()
    }

    /// Reads the records after `sequence`, to the limit or to the end of the log.
    private func readRecords(
        of room: Room, after sequence: UInt64, limitBytes: Int
    ) throws(StoreError) -> [LogRecord] {
        var records: [LogRecord] = []
        var bytes = 0
        var expected = sequence + 1
        var isCut = false
        try forEachRow(of: room, from: expected) { found, record throws(StoreError) in
            guard found == expected else { return false }
            guard let record else {
                throw .corrupt(room: room.state.name, what: "record \(found)")
            }
            bytes += record.body.count
            if bytes > limitBytes, !records.isEmpty {
                isCut = true
                return false
            }
            records.append(record)
            expected += 1
            return true
        }
        guard isCut || expected == room.state.lastSequence + 1 else {
            throw .corrupt(room: room.state.name, what: "record \(expected) is missing")
        }
        return records
    }

    /// Calls `body` with the position and the record of each row of a room's log, until it returns
    /// `false`. The record of a damaged row is `nil`.
    func forEachRow(
        of room: Room, from first: UInt64,
        _ body: (UInt64, LogRecord?) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let query = statements.readRecords
        defer { query.reset() }
        try query.bind(1, RowKey.make(room: room.id, sequence: first))
        try query.bind(2, RowKey.range(of: room.id).upperBound)
        while try query.step() {
            let sequence = RowKey.sequence(of: query.integer(0))
            let record = LogRecord(
                sequence: sequence, firstRevision: query.natural(1),
                lastRevision: query.natural(2), wallClockMilliseconds: query.natural(3),
                body: SharedBytes(copying: query.bytes(5)))
            let isWhole = query.integer(4) == Int64(Self.checksum(of: record, in: room))
            guard try body(sequence, isWhole ? record : nil) else { return }
        }
    }

    private static func checksum(of record: LogRecord, in room: Room) -> UInt32 {
        var checksum = Checksum(of: "record", room: room.state.name)
        checksum.add(record.sequence)
        checksum.add(record.firstRevision)
        checksum.add(record.lastRevision)
        checksum.add(record.wallClockMilliseconds)
        checksum.add(record.body.bytes)
        return checksum.value
    }
}
