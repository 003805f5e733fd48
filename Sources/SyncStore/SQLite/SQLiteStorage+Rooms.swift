package import SyncIO
package import SyncModel

extension SQLiteStorage {
    package var time: StoreTime {
        StoreTime(
            noted: counts.time,
            newestMilliseconds: roomsByName.values.map(\.state.changedMilliseconds).max())
    }

    package func note(_ time: TrustedTime) throws(StoreError) {
        var next = counts
        next.time = time
        try transaction { () throws(StoreError) in try write(next) }
        counts = next
    }

    package func rooms() throws(StoreError) -> [StoredRoomSummary] {
        roomsByName.values.map(\.state.summary).sorted { $0.name < $1.name }
    }

    package func summary(of name: RoomName) throws(StoreError) -> StoredRoomSummary? {
        roomsByName[name]?.state.summary
    }

    /// Replaces a room's state in memory, after its commit.
    func publish(_ room: Room) {
        roomsByName[room.state.name] = room
        published.update([room.state.name: room])
    }

    package func deleteRoom(_ name: RoomName) throws(StoreError) {
        let room = try existing(name)
        try countedTransaction(removing: room) { () throws(StoreError) in
            try markDeleted(room)
        }
        roomsByName[name] = nil
        published.remove(name)
        deletedRooms.append(room.id)
    }

    /// Reads all rooms' rows, and checks that none is damaged or lost.
    func loadRooms() throws(StoreError) {
        let query = statements.readRooms
        defer { query.reset() }
        while try query.step() {
            let room = try Self.room(from: query)
            guard roomsByName.updateValue(room, forKey: room.state.name) == nil else {
                throw .corrupt(room: room.state.name, what: "it is listed twice")
            }
            nextRoom = max(nextRoom, room.id + 1)
            if room.isBehind { roomsBehind.append(room.state.name) }
        }
        for name in roomsBehind { try catchUp(with: name) }
        published.update(roomsByName)
        try loadDeletedRooms()
        try loadCounts()
    }

    private func loadCounts() throws(StoreError) {
        let query = statements.readCounts
        defer { query.reset() }
        guard try query.step(), query.integer(0) == roomsByName.count else {
            throw .corrupt(
                room: nil, what: "the list of rooms is not whole, \(roomsByName.count) are found")
        }
        counts = StoreCounts(rooms: query.natural(0), otherCommits: query.natural(1))
        if query.columnCount == 6, (3...5).contains(where: { query.natural($0) != 0 }) {
            counts.time = TrustedTime(
                milliseconds: query.natural(3),
                reading: ClockReading(
                    steadyMilliseconds: query.natural(4), wallClockMilliseconds: query.natural(5)))
        }
        // Version 3, which is only read, has no checksum.
        guard query.columnCount == 1 || query.integer(2) == Int64(counts.checksum),
            counts.otherCommits < LogState.maximumNumber / 2
        else { throw .corrupt(room: nil, what: "the number of its commits") }
        // A room has fewer than 2^39 records, and there are fewer than 2^24 rooms.
        appendedRecords = roomsByName.values.reduce(0) { $0 + $1.state.lastSequence }
    }

    /// Adds the records to a room's state that its row does not include.
    private func catchUp(with name: RoomName) throws(StoreError) {
        let room = try existing(name)
        var state = room.state
        try rows.forEachRow(of: room, from: state.lastSequence + 1) {
            sequence, record throws(StoreError) in
            guard let record, (try? state.append(record)) != nil else {
                throw .corrupt(room: name, what: "record \(sequence)")
            }
            return true
        }
        roomsByName[name]?.state = state
    }

    private func loadDeletedRooms() throws(StoreError) {
        let living = Set(roomsByName.values.map(\.id))
        let query = statements.readDeleted
        defer { query.reset() }
        while try query.step() {
            let id = query.integer(0)
            guard id > 0, id < RowKey.roomLimit, !living.contains(id) else {
                throw .corrupt(room: nil, what: "the list of deleted rooms")
            }
            deletedRooms.append(id)
            nextRoom = max(nextRoom, id + 1)
        }
    }

    /// Writes a room's row; the connection must be in a transaction.
    func write(_ room: Room) throws(StoreError) {
        let write = statements.writeRoom
        let state = room.state
        try write.bind(1, room.id)
        try write.bind(2, state.name.text)
        try write.bind(3, state.createdMilliseconds)
        try write.bind(4, state.changedMilliseconds)
        try write.bind(5, state.firstSequence)
        try write.bind(6, state.lastSequence)
        try write.bind(7, state.lastRevision)
        try write.bind(8, state.logBytes)
        try write.bind(9, state.snapshotBytes)
        try write.bind(10, UInt64(Self.checksum(of: room)))
        try write.run()
    }

    func write(_ counts: StoreCounts) throws(StoreError) {
        let write = statements.writeCounts
        try write.bind(1, counts.rooms)
        try write.bind(2, counts.otherCommits)
        try write.bind(3, UInt64(counts.checksum))
        try write.bind(4, counts.time?.milliseconds ?? 0)
        try write.bind(5, counts.time?.reading.steadyMilliseconds ?? 0)
        try write.bind(6, counts.time?.reading.wallClockMilliseconds ?? 0)
        try write.run()
    }

    private static func room(from row: SQLiteStatement) throws(StoreError) -> Room {
        guard let name = RoomName(bytes: row.bytes(1)) else {
            throw .corrupt(room: nil, what: "the name of room \(row.integer(0)) can't be one")
        }
        var state = LogState(name: name, createdMilliseconds: row.natural(2))
        state.changedMilliseconds = row.natural(3)
        state.firstSequence = row.natural(4)
        state.lastSequence = row.natural(5)
        state.lastRevision = row.natural(6)
        state.logBytes = row.natural(7)
        state.snapshotBytes = row.natural(8)
        var room = Room(id: row.integer(0), state: state)
        room.isBehind = row.integer(9) != Int64(checksum(of: room))
        guard row.integer(9) == Int64(checksum(of: room)), room.id > 0, room.id < RowKey.roomLimit
        else { throw .corrupt(room: name, what: "its entry in the list of rooms") }
        guard state.isPossible else {
            throw .corrupt(
                room: name,
                what: "its entry in the list of rooms says what can't be: records"
                    + " \(state.firstSequence) to \(state.lastSequence), revision"
                    + " \(state.lastRevision), \(state.logBytes) and \(state.snapshotBytes) bytes")
        }
        return room
    }

    /// The checksum of a row that is behind differs from the one that the same row has otherwise.
    /// So it marks the row.
    private static func checksum(of room: Room) -> UInt32 {
        let state = room.state
        var checksum = Checksum(of: room.isBehind ? "room, at least" : "room", room: state.name)
        checksum.add(UInt64(bitPattern: room.id))
        checksum.add(state.createdMilliseconds)
        checksum.add(state.changedMilliseconds)
        checksum.add(state.firstSequence)
        checksum.add(state.lastSequence)
        checksum.add(state.lastRevision)
        checksum.add(state.logBytes)
        checksum.add(state.snapshotBytes)
        return checksum.value
    }
}
