import SyncBytes
package import SyncModel

extension SQLiteStorage {
    package func append(_ group: [PendingAppend]) throws(StoreError) -> [StoreError?] {
        var refusals: [StoreError?] = []
        refusals.reserveCapacity(group.count)
        var changed: [RoomName: Room] = [:]
        var newlyBehind: [RoomName] = []
        var added: Int64 = 0
        var newCounts = counts
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
            if added > 0 {
                newCounts.rooms += UInt64(added)
                try write(newCounts)
            }
        }
        roomsByName.merge(changed) { $1 }
        published.update(changed)
        roomsBehind += newlyBehind
        nextRoom += added
        counts = newCounts
        appendedRecords += UInt64(refusals.count { $0 == nil })
        noteCommit()
        return refusals
    }

    package func open(
        room name: RoomName, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredRoom? {
        try roomsByName[name].map { room throws(StoreError) in
            try rows.open(room, admitting: mayRead)
        }
    }

    package func readLog(
        room name: RoomName, after sequence: UInt64, limitBytes: Int,
        admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage {
        try rows.readLog(
            of: try existing(name), after: sequence, limitBytes: limitBytes, admitting: mayRead)
    }

    private func newRoom(named name: RoomName, number: Int64, at record: LogRecord) -> Room {
        let time = record.wallClockMilliseconds
        return Room(
            id: nextRoom + number, state: LogState(name: name, createdMilliseconds: time))
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
    func write(_ record: LogRecord, to room: Room) throws(StoreError) {
        let append = statements.appendRecord
        try append.bind(1, RowKey.make(room: room.id, sequence: record.sequence))
        try append.bind(2, record.firstRevision)
        try append.bind(3, record.lastRevision)
        try append.bind(4, record.wallClockMilliseconds)
        try append.bind(5, UInt64(SQLiteRows.checksum(of: record, in: room)))
        try append.bind(6, record.body.bytes)
        try append.run()
    }
}
