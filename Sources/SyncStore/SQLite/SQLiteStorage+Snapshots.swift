import SyncBytes
package import SyncModel

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
    /// The checksum of the body so far.
    var checksum: UInt32 = 0

    /// The snapshot's row, when all parts are written.
    var header: SnapshotHeader {
        SnapshotHeader(
            sequence: snapshot.sequence, revision: snapshot.revision,
            trustedMilliseconds: snapshot.trustedMilliseconds,
            size: UInt64(snapshot.body.count), storedBytes: storedBytes, bodyChecksum: checksum)
    }
}

extension SQLiteStorage {
    /// How much of a body is compressed and written in one step.
    static let partBytes = 1 << 20

    package func readSnapshot(
        room name: RoomName, atOrBelowRevision revision: UInt64, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot? {
        try rows.readSnapshot(
            of: try existing(name), atOrBelowRevision: revision, admitting: mayRead)
    }

    package func oldestRevision(of name: RoomName) throws(StoreError) -> UInt64 {
        try rows.oldestRevision(of: try existing(name))
    }

    package func saveSnapshot(
        _ snapshot: StoredSnapshot, of name: RoomName
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let isDone = try saveStep(snapshot, of: name)
            if isDone { saving = nil }
            return isDone
        } catch {
            // The next sweep removes its parts.
            saving = nil
            hasSearchedOrphanedParts = false
            throw error
        }
    }

    private func saveStep(
        _ snapshot: StoredSnapshot, of name: RoomName
    ) throws(StoreError) -> Bool {
        let room = try existing(name)
        try room.state.check(snapshot)
        let key = RowKey.make(room: room.id, sequence: snapshot.sequence)
        if saving == nil {
            let headers = try rows.snapshotHeaders(of: room)
            if headers.contains(where: { $0.sequence == snapshot.sequence }) { return true }
            removedSnapshots.removeAll { $0 == key }
            guard try removeSomeParts(of: key) else { return false }
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
        var surplus: [Int64] = []
        let isLast = snapshot.body.count - saving.offset <= Self.partBytes
        if isLast {
            try countedTransaction { () throws(StoreError) in
                try writePart(of: &saving, key: key)
                surplus = try complete(saving, in: &changed)
            }
        } else {
            try transaction { () throws(StoreError) in try writePart(of: &saving, key: key) }
        }
        self.saving = saving
        publish(changed)
        removedSnapshots += surplus
        return isLast
    }

    /// Compressing a snapshot takes longer than making it. If a room's snapshots are small beside
    /// its log, compression saves next to nothing.
    private static func isWorthCompressing(_ snapshot: StoredSnapshot, of room: Room) -> Bool {
        room.state.snapshotBytes + UInt64(snapshot.body.count) > room.state.logBytes / 4
    }

    func writePart(of saving: inout SnapshotSaving, key: Int64) throws(StoreError) {
        let body = saving.snapshot.body
        let end = min(saving.offset + Self.partBytes, body.count)
        let slice = UnsafeRawBufferPointer(rebasing: body.bytes[saving.offset..<end])
        let compressed = Deflate.compress(slice, isWorthIt: saving.isCompressed)
        try withExtendedLifetime(compressed) { () throws(StoreError) in
            try write(part: compressed.bytes, saving.part, key: key)
        }
        saving.checksum = Checksum.extend(saving.checksum, with: slice)
        saving.part += 1
        saving.offset = end
        saving.storedBytes += UInt64(compressed.count)
    }

    private func write(
        part: UnsafeRawBufferPointer, _ number: Int64, key: Int64
    ) throws(StoreError) {
        try statements.writePart.bind(1, key)
        try statements.writePart.bind(2, number)
        try statements.writePart.bind(3, part)
        try statements.writePart.run()
    }

    /// Writes a part as it is stored; the connection must be in a transaction.
    func write(
        part: UnsafeRawBufferPointer, _ number: Int64, of header: SnapshotHeader, _ room: Room
    ) throws(StoreError) {
        try write(
            part: part, number, key: RowKey.make(room: room.id, sequence: header.sequence))
    }

    /// Writes a snapshot's row; the connection must be in a transaction.
    func write(_ header: SnapshotHeader, of room: Room) throws(StoreError) {
        let write = statements.writeSnapshot
        try write.bind(1, RowKey.make(room: room.id, sequence: header.sequence))
        try write.bind(2, header.revision)
        try write.bind(3, header.trustedMilliseconds)
        try write.bind(4, header.size)
        try write.bind(5, header.storedBytes)
        try write.bind(6, UInt64(header.bodyChecksum))
        try write.bind(7, UInt64(SQLiteRows.checksum(of: header, in: room)))
        try write.run()
    }

    /// Writes the row of a snapshot whose parts are all written, and thins out the others.
    ///
    /// - Returns: the keys of removed snapshots, whose parts are still to be removed.
    private func complete(
        _ saving: SnapshotSaving, in room: inout Room
    ) throws(StoreError) -> [Int64] {
        try write(saving.header, of: room)
        var headers = try rows.snapshotHeaders(of: room)
        var removed: [Int64] = []
        while let surplus = SnapshotThinning.surplus(
            headers.map(\.sequence), firstSequence: room.state.firstSequence)
        {
            removed.append(RowKey.make(room: room.id, sequence: surplus))
            headers.removeAll { $0.sequence == surplus }
        }
        for key in removed { try removeHeader(key) }
        room.state.snapshotBytes = headers.reduce(0) { $1.addBytes(to: $0) }
        try self.write(room)
        return removed
    }
}
