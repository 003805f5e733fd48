extension SQLiteStorage {
    package func compact(
        room name: String, olderThanWallClockMilliseconds cutoff: UInt64
    ) throws(StoreError) -> Bool {
        var room = try existing(name)
        let headers = try snapshotHeaders(of: room)
        guard let base = headers.last(where: { $0.wallClockMilliseconds < cutoff }) else {
            return true
        }
        let older = headers.filter { $0.sequence < base.sequence }
        let first = room.state.firstSequence
        let end = min(base.sequence + 1, first + UInt64(Self.rowsPerStep))
        guard first < end || !older.isEmpty else { return true }
        try transaction { () throws(StoreError) in
            // Snapshots go first: from one whose records are gone nothing can be read.
            for header in older {
                try removeSnapshot(RowKey.make(room: room.id, sequence: header.sequence))
                room.state.snapshotBytes -= min(header.storedBytes, room.state.snapshotBytes)
            }
            if first < end {
                let bytes = try removeRecords(of: room, from: first, through: end - 1)
                room.state.logBytes -= min(bytes, room.state.logBytes)
                room.state.firstSequence = end
            }
            try write(room)
        }
        roomsByName[name] = room
        return end == base.sequence + 1
    }

    package func sweep() throws(StoreError) -> Bool {
        guard let room = deletedRooms.last else {
            return try change(statements.removeStrayParts, 16) == 0
        }
        let range = RowKey.range(of: room)
        var isGone = false
        try transaction { () throws(StoreError) in
            let removed = try change(
                statements.removeSomeRecords, range.lowerBound, range.upperBound,
                Self.rowsPerStep)
            if removed > 0 { return }
            // The snapshots' parts are strays from now on.
            _ = try change(statements.removeSomeSnapshots, range.lowerBound, range.upperBound)
            _ = try change(statements.removeDeleted, room)
            isGone = true
        }
        if isGone { deletedRooms.removeLast() }
        return false
    }

    func removeSnapshot(_ key: Int64) throws(StoreError) {
        try removeParts(of: key)
        _ = try change(statements.removeSnapshot, key)
    }

    func removeParts(of key: Int64) throws(StoreError) {
        _ = try change(statements.removeParts, key)
    }

    /// - Returns: the size of the bodies removed.
    private func removeRecords(
        of room: Room, from first: UInt64, through last: UInt64
    ) throws(StoreError) -> UInt64 {
        let lower = RowKey.make(room: room.id, sequence: first)
        let upper = RowKey.make(room: room.id, sequence: last)
        let measure = statements.measureRecords
        defer { measure.reset() }
        try measure.bind(1, lower)
        try measure.bind(2, upper)
        let bytes = try measure.step() ? measure.natural(0) : 0
        _ = try change(statements.removeRecords, lower, upper)
        return bytes
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
}
