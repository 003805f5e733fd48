package import SyncModel

// A step of a removal is limited by bytes, so it takes a few milliseconds even if records and
// snapshots are large.
extension SQLiteStorage {
    package func compact(
        room name: RoomName, olderThanTrustedMilliseconds cutoff: UInt64
    ) throws(StoreError) -> Bool {
        var room = try existing(name)
        let headers = try rows.snapshotHeaders(of: room)
        guard let base = headers.last(where: { $0.trustedMilliseconds < cutoff }) else {
            return true
        }
        guard base.sequence <= room.state.lastSequence else {
            throw .corrupt(
                room: name, what: "the snapshot after record \(base.sequence) is not of its log")
        }
        // Snapshots are removed first: one without the records after it is useless.
        let older = headers.filter { $0.sequence < base.sequence }
        if !older.isEmpty {
            try removeSnapshots(older, of: &room)
            return false
        }
        let first = room.state.firstSequence
        guard first <= base.sequence else { return true }
        let lower = RowKey.make(room: room.id, sequence: first)
        let range = lower...RowKey.make(room: room.id, sequence: base.sequence)
        guard let few = try firstRecords(in: range) else {
            throw .corrupt(room: name, what: "record \(first) is missing")
        }
        let last = RowKey.sequence(of: few.last)
        try countedTransaction { () throws(StoreError) in
            _ = try change(statements.removeRecords, range.lowerBound, few.last)
            room.state.logBytes -= min(few.bytes, room.state.logBytes)
            room.state.firstSequence = last + 1
            try write(room)
        }
        publish(room)
        return last == base.sequence
    }

    package func sweep() throws(StoreError) -> Bool {
        if let room = deletedRooms.last {
            try sweep(room)
            return false
        }
        if let key = removedSnapshots.last {
            if try removeSomeParts(of: key) { removedSnapshots.removeLast() }
            return false
        }
        guard hasSearchedOrphanedParts else {
            try findOrphanedParts()
            return false
        }
        return try vacuum()
    }

    /// Removes some of a deleted room's rows. The last step removes its entry, too.
    private func sweep(_ room: Int64) throws(StoreError) {
        let range = RowKey.range(of: room)
        if let few = try firstRecords(in: range) {
            return try transaction { () throws(StoreError) in
                let count = try change(statements.removeRecords, range.lowerBound, few.last)
                guard count > 0 else {
                    throw .corrupt(room: nil, what: "rows of a deleted room can't be removed")
                }
            }
        }
        let keys = try rows.snapshotKeys(ofRoom: room)
        try transaction { () throws(StoreError) in
            for key in keys { _ = try change(statements.removeSnapshot, key) }
            _ = try change(statements.removeDeleted, room)
        }
        deletedRooms.removeLast()
        removedSnapshots += keys
    }

    /// Removes the entries of snapshots; ``sweep()`` removes their parts later.
    private func removeSnapshots(
        _ headers: [SnapshotHeader], of room: inout Room
    ) throws(StoreError) {
        var changed = room
        let keys = headers.map { RowKey.make(room: changed.id, sequence: $0.sequence) }
        try countedTransaction { () throws(StoreError) in
            for key in keys { try removeHeader(key) }
            for header in headers {
                changed.state.snapshotBytes -= min(
                    header.storedBytes, changed.state.snapshotBytes)
            }
            try write(changed)
        }
        room = changed
        publish(room)
        removedSnapshots += keys
    }

    func removeHeader(_ key: Int64) throws(StoreError) {
        _ = try change(statements.removeSnapshot, key)
    }

    /// - Returns: whether none were left.
    func removeSomeParts(of key: Int64) throws(StoreError) -> Bool {
        var count = 0
        try transaction { () throws(StoreError) in
            count = try change(statements.removeSomeParts, key, Self.partsPerStep)
        }
        return count == 0
    }

    /// Finds the parts of snapshots whose save failed, or was cut off by the end of a process.
    private func findOrphanedParts() throws(StoreError) {
        let query = statements.readOrphanedParts
        defer { query.reset() }
        try query.bind(1, Self.rowsPerStep)
        var keys: [Int64] = []
        while try query.step() { keys.append(query.integer(0)) }
        removedSnapshots += keys
        // Only once: with a damaged index, a search could find the same parts again and again, and
        // never remove them. If there are more than a step finds, the next start finds the rest.
        hasSearchedOrphanedParts = true
    }

    /// Moves some pages from the end of the file into free ones, which shortens the file; as long
    /// as enough pages are free to be worth it.
    private func vacuum() throws(StoreError) -> Bool {
        let free = try count(statements.freePageCount)
        let isWorthIt = free > max(Self.reservedFreePages, try count(statements.pageCount) / 8)
        if isWorthIt {
            try transaction { () throws(StoreError) in try statements.vacuum.run() }
            hasVacuumed = true
            // In a store that can't be vacuumed, the number stays the same.
            if try count(statements.freePageCount) < free { return false }
        }
        if hasVacuumed {
            hasVacuumed = false
            try checkpoint()
        }
        return true
    }

    /// The first records in a range that together have at most a step's bytes, but at least one if
    /// there is any.
    private func firstRecords(
        in range: ClosedRange<Int64>
    ) throws(StoreError) -> (last: Int64, bytes: UInt64)? {
        let query = statements.measureRecords
        defer { query.reset() }
        try query.bind(1, range.lowerBound)
        try query.bind(2, range.upperBound)
        try query.bind(3, Self.rowsPerStep)
        var found: (last: Int64, bytes: UInt64)?
        while try query.step() {
            let bytes = (found?.bytes ?? 0) + query.natural(1)
            if found != nil, bytes > Self.bytesPerStep { break }
            found = (query.integer(0), bytes)
        }
        return found
    }

    /// Runs a statement with numbers.
    ///
    /// - Returns: how many rows it changed.
    private func change(
        _ statement: SQLiteStatement, _ values: Int64...
    ) throws(StoreError) -> Int {
        for (index, value) in values.enumerated() {
            try statement.bind(Int32(index + 1), value)
        }
        try statement.run()
        return connection.changes
    }

    /// The number that a statement without parameters gives.
    func count(_ statement: SQLiteStatement) throws(StoreError) -> UInt64 {
        defer { statement.reset() }
        return try statement.step() ? statement.natural(0) : 0
    }
}
