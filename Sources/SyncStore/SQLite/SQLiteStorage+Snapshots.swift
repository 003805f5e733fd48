import SyncBytes

/// A snapshot that is being written, part by part.
struct SnapshotSaving {
    var room: Int64
    var snapshot: StoredSnapshot
    /// Whether it is compressed.
    let isCompressed: Bool
    var part: Int64 = 0
    /// How much of the body has been written.
    var offset = 0
    var storedBytes: UInt64 = 0
    /// Of the body so far.
    var checksum: UInt32 = 0
}

/// A snapshot's row: all of it but the body.
struct SnapshotHeader: Equatable {
    var sequence: UInt64
    var revision: UInt64
    var wallClockMilliseconds: UInt64
    var size: UInt64
    var storedBytes: UInt64
    var bodyChecksum: UInt32
}

extension SQLiteStorage {
    /// How much of a body is compressed and written in one step.
    static let partBytes = 1 << 20

    package func readSnapshot(
        room name: String, atOrBelowRevision revision: UInt64
    ) throws(StoreError) -> StoredSnapshot? {
        let room = try existing(name)
        let headers = try snapshotHeaders(of: room)
        if let header = headers.last(where: { $0.revision <= revision }) {
            return try readSnapshot(header, of: room)
        }
        guard room.state.firstSequence == 1 else {
            throw .compacted(room: name, firstSequence: room.state.firstSequence)
        }
        return nil
    }

    package func saveSnapshot(
        _ snapshot: StoredSnapshot, of name: String
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let isDone = try saveStep(snapshot, of: name)
            if isDone { saving = nil }
            return isDone
        } catch {
            // Its parts go with the next sweep.
            saving = nil
            throw error
        }
    }

    private func saveStep(
        _ snapshot: StoredSnapshot, of name: String
    ) throws(StoreError) -> Bool {
        let room = try existing(name)
        try room.state.check(snapshot)
        let key = RowKey.make(room: room.id, sequence: snapshot.sequence)
        if saving == nil {
            let headers = try snapshotHeaders(of: room)
            if headers.contains(where: { $0.sequence == snapshot.sequence }) { return true }
            try removeParts(of: key)
        }
        var saving =
            self.saving
            ?? SnapshotSaving(
                room: room.id, snapshot: snapshot,
                isCompressed: Self.isWorthCompressing(snapshot, of: room))
        guard saving.room == room.id else {
            throw .conflict("room '\(name)' was deleted while a snapshot of it was saved")
        }
        var changed = room
        let isLast = snapshot.body.count - saving.offset <= Self.partBytes
        try transaction { () throws(StoreError) in
            try writePart(of: &saving, key: key)
            if isLast { changed = try complete(saving, in: room) }
        }
        self.saving = saving
        roomsByName[name] = changed
        return isLast
    }

    /// Compressing a snapshot takes longer than making it. Where a room's snapshots are small beside its
    /// log it saves next to nothing.
    private static func isWorthCompressing(_ snapshot: StoredSnapshot, of room: Room) -> Bool {
        room.state.snapshotBytes + UInt64(snapshot.body.count) > room.state.logBytes / 4
    }

    private func writePart(of saving: inout SnapshotSaving, key: Int64) throws(StoreError) {
        let body = saving.snapshot.body
        let end = min(saving.offset + Self.partBytes, body.count)
        let slice = UnsafeRawBufferPointer(rebasing: body.bytes[saving.offset..<end])
        let compressed = Deflate.compress(slice, isWorthIt: saving.isCompressed)
        try withExtendedLifetime(compressed) { () throws(StoreError) in
            try statements.writePart.bind(1, key)
            try statements.writePart.bind(2, saving.part)
            try statements.writePart.bind(3, compressed.bytes)
            try statements.writePart.run()
        }
        saving.checksum = Checksum.extend(saving.checksum, with: slice)
        saving.part += 1
        saving.offset = end
        saving.storedBytes += UInt64(compressed.count)
    }

    /// Makes a snapshot that has all its parts visible, and thins out the others.
    private func complete(_ saving: SnapshotSaving, in room: Room) throws(StoreError) -> Room {
        let snapshot = saving.snapshot
        let header = SnapshotHeader(
            sequence: snapshot.sequence, revision: snapshot.revision,
            wallClockMilliseconds: snapshot.wallClockMilliseconds,
            size: UInt64(snapshot.body.count), storedBytes: saving.storedBytes,
            bodyChecksum: saving.checksum)
        let write = statements.writeSnapshot
        try write.bind(1, RowKey.make(room: room.id, sequence: header.sequence))
        try write.bind(2, header.revision)
        try write.bind(3, header.wallClockMilliseconds)
        try write.bind(4, header.size)
        try write.bind(5, header.storedBytes)
        try write.bind(6, UInt64(header.bodyChecksum))
        try write.bind(7, UInt64(Self.checksum(of: header, in: room)))
        try write.run()
        var headers = try snapshotHeaders(of: room)
        while let surplus = SnapshotThinning.surplus(
            headers.map(\.sequence), firstSequence: room.state.firstSequence)
        {
            try removeSnapshot(RowKey.make(room: room.id, sequence: surplus))
            headers.removeAll { $0.sequence == surplus }
        }
        var room = room
        room.state.snapshotBytes = headers.reduce(0) { $0 + $1.storedBytes }
        try self.write(room)
        return room
    }

    /// A room's snapshots, oldest first.
    func snapshotHeaders(of room: Room) throws(StoreError) -> [SnapshotHeader] {
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

    /// Calls `body` with the position and the header of each snapshot of a room. The header of a
    /// damaged row is `nil`.
    func forEachSnapshot(
        of room: Room, _ body: (UInt64, SnapshotHeader?) throws(StoreError) -> Void
    ) throws(StoreError) {
        let query = statements.readSnapshots
        defer { query.reset() }
        let range = RowKey.range(of: room.id)
        try query.bind(1, range.lowerBound)
        try query.bind(2, range.upperBound)
        while try query.step() {
            let header = SnapshotHeader(
                sequence: RowKey.sequence(of: query.integer(0)), revision: query.natural(1),
                wallClockMilliseconds: query.natural(2), size: query.natural(3),
                storedBytes: query.natural(4), bodyChecksum: UInt32(clamping: query.natural(5)))
            let isWhole = query.integer(6) == Int64(Self.checksum(of: header, in: room))
            try body(header.sequence, isWhole ? header : nil)
        }
    }

    func readSnapshot(
        _ header: SnapshotHeader, of room: Room
    ) throws(StoreError) -> StoredSnapshot {
        let damaged = StoreError.corrupt(
            room: room.state.name, what: "the snapshot after record \(header.sequence)")
        guard header.size <= UInt64(Int.max) else { throw damaged }
        let query = statements.readParts
        defer { query.reset() }
        try query.bind(1, RowKey.make(room: room.id, sequence: header.sequence))
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
            wallClockMilliseconds: header.wallClockMilliseconds, body: body)
    }

    /// Decompresses parts one after the other.
    ///
    /// - Returns: whether they were whole and fill the memory exactly.
    private static func fill(
        _ memory: UnsafeMutableRawBufferPointer, from parts: SQLiteStatement
    ) throws(StoreError) -> Bool {
        var offset = 0
        var part: Int64 = 0
        while try parts.step() {
            let end = min(offset + partBytes, memory.count)
            let slice = UnsafeMutableRawBufferPointer(rebasing: memory[offset..<end])
            guard parts.integer(0) == part, Deflate.decompress(parts.bytes(1), into: slice) else {
                return false
            }
            offset = end
            part += 1
        }
        return offset == memory.count
    }

    private static func checksum(of header: SnapshotHeader, in room: Room) -> UInt32 {
        var checksum = Checksum(of: "snapshot", room: room.state.name)
        checksum.add(header.sequence)
        checksum.add(header.revision)
        checksum.add(header.wallClockMilliseconds)
        checksum.add(header.size)
        checksum.add(header.storedBytes)
        checksum.add(UInt64(header.bodyChecksum))
        return checksum.value
    }
}
