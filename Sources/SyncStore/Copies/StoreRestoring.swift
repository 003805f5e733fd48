import SyncBytes
import SyncIO
import SyncModel

/// Restores rooms in one transaction. The storage is closed afterwards.
struct StoreRestoring {
    /// A room that is being written.
    private struct Writing {
        var room: SQLiteStorage.Room
        /// What the stream says of the room.
        let source: LogState
        /// The room after the last record so far.
        var current: LogState
        /// The room after the last record that is not too late; `nil` before there is one.
        var reached: LogState?
        var header: SnapshotHeader?
        var part: Int64 = 0
    }

    private let storage: SQLiteStorage
    /// The time now. A restored snapshot counts as taken now, since another store's time says
    /// nothing here.
    private let time: TrustedTime
    private let options: RestoreOptions
    private let revocations: RevocationsBeside
    private let restorer: any RoomRestorer
    private let replay: any RoomReplay
    private(set) var summary = RestoreSummary()

    private var counts: StoreCounts
    private var nextRoom: Int64
    private var restored: [SQLiteStorage.Room] = []
    /// The rooms whose place others have taken.
    private var replaced: [SQLiteStorage.Room] = []
    private var missing: Set<RoomName>
    /// The lines of the backup with revocations.
    private var revocationLines: [UInt8] = []
    /// `nil` if the room is left out.
    private var writing: Writing?

    init(
        _ storage: SQLiteStorage, _ options: RestoreOptions, _ revocations: RevocationsBeside,
        at reading: ClockReading, _ restorer: any RoomRestorer, _ replay: any RoomReplay
    ) {
        self.storage = storage
        self.options = options
        self.revocations = revocations
        self.restorer = restorer
        self.replay = replay
        time = storage.time.resumed(at: reading)
        counts = storage.counts
        counts.time = time
        nextRoom = storage.nextRoom
        missing = Set(options.rooms)
    }

    mutating func run(
        _ source: @escaping BackupReader.Source, _ willReplace: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try storage.transaction { () throws(StoreError) in
            var reader = BackupReader(source)
            var goesOn = true
            while goesOn {
                goesOn = try reader.next { piece throws(StoreError) in try take(piece) }
            }
            try finishRoom()
            if let room = missing.min() { throw .noSuchRoom(room) }
            if !replaced.isEmpty { try willReplace() }
            // The number of the last commit grows, also if rooms are replaced.
            counts.otherCommits += replaced.reduce(1) { $0 + $1.state.lastSequence }
            try storage.write(counts)
            summary.revocations = try revocations.add(revocationLines)
        }
        storage.didRestore(counts, restored, replacing: replaced)
    }

    private mutating func take(_ piece: BackupReader.Piece) throws(StoreError) {
        switch piece {
        case .revocations(let lines): revocationLines = lines
        case .room(let state):
            try finishRoom()
            try beginRoom(state)
        case .snapshot(var header):
            guard let room = writing?.room else { return }
            try StoreError.check(
                room.state.name, bytes: [Int(header.size)], admitting: mayRead)
            header.trustedMilliseconds = time.milliseconds
            writing?.header = header
            writing?.part = 0
            try storage.write(header, of: room)
        case .part(let bytes):
            guard let writing, let header = writing.header else { return }
            if writing.part == 0 { summary.copiedSnapshots += 1 }
            try storage.write(part: bytes, writing.part, of: header, writing.room)
            self.writing?.part += 1
        case .record(let record):
            guard var writing else { return }
            if writing.current.lastSequence + 1 == writing.source.firstSequence {
                // The first record that was kept says where the ones before it have ended.
                writing.current.lastRevision = record.firstRevision - 1
            }
            try writing.current.append(record)
            summary.copiedRecords += 1
            try storage.write(record, to: writing.room)
            if record.wallClockMilliseconds <= options.untilMilliseconds ?? .max {
                writing.reached = writing.current
            }
            self.writing = writing
        }
    }

    private mutating func beginRoom(_ source: LogState) throws(StoreError) {
        guard options.rooms.isEmpty || options.rooms.contains(source.name) else { return }
        missing.remove(source.name)
        let name = options.newName ?? source.name
        guard options.replaces || storage.roomsByName[name] == nil else {
            throw .roomExists(name)
        }
        guard nextRoom < RowKey.roomLimit else {
            throw .conflict("the store has had too many rooms")
        }
        var state = LogState(name: name, createdMilliseconds: source.createdMilliseconds)
        state.firstSequence = source.firstSequence
        state.lastSequence = source.firstSequence - 1
        let room = SQLiteStorage.Room(id: nextRoom, state: state)
        nextRoom += 1
        writing = Writing(room: room, source: source, current: state)
    }

    private mutating func finishRoom() throws(StoreError) {
        guard let writing else { return }
        self.writing = nil
        var room = writing.room
        guard let reached = try reachedState(of: writing) else {
            try storage.removeRows(of: room, after: 0)
            summary.absent.append(room.state.name)
            return
        }
        room.state = reached
        try storage.removeRows(of: room, after: reached.lastSequence)
        try countSnapshots(of: &room)
        let stored = try storage.rows.open(room, admitting: mayRead)
        let end = try restorer.finish(
            room: room.state.name, stored, isCopy: options.newName != nil)
        switch end {
        case .record(let record):
            try room.state.append(record)
            try storage.write(record, to: room)
        case .image(let snapshot):
            try storage.replaceRows(of: &room, by: snapshot, at: time)
        }
        try replaceFormerRoom(named: room.state.name)
        try storage.write(room)
        try verify(room)
        counts.rooms += 1
        restored.append(room)
        summary.rooms += 1
        summary.records += room.state.lastSequence + 1 - room.state.firstSequence
    }

    private func mayRead(_ bytes: Int) -> Bool { bytes <= options.maximumRoomBytes }

    /// The room at the requested time; `nil` if it did not exist then.
    private func reachedState(of writing: Writing) throws(StoreError) -> LogState? {
        if let reached = writing.reached { return reached }
        let source = writing.source
        if source.firstSequence > source.lastSequence,
            source.changedMilliseconds <= options.untilMilliseconds ?? .max
        {
            var state = writing.current
            state.lastRevision = source.lastRevision
            state.changedMilliseconds = source.changedMilliseconds
            return state
        }
        guard source.firstSequence == 1 else {
            throw .compacted(room: source.name, firstSequence: source.firstSequence)
        }
        return nil
    }

    private func countSnapshots(of room: inout SQLiteStorage.Room) throws(StoreError) {
        room.state.snapshotBytes = 0
        for header in try storage.rows.snapshotHeaders(of: room) {
            room.state.snapshotBytes = header.addBytes(to: room.state.snapshotBytes)
        }
    }

    private mutating func replaceFormerRoom(named name: RoomName) throws(StoreError) {
        guard let former = storage.roomsByName[name] else { return }
        try storage.markDeleted(former)
        counts.rooms -= 1
        replaced.append(former)
        summary.replaced.append(name)
    }

    private func verify(_ room: SQLiteStorage.Room) throws(StoreError) {
        var finding: RoomFlaw?
        var verification = RoomVerification(
            room, in: storage, replay: replay, atMost: options.maximumRoomBytes
        ) { flaw in
            finding = finding ?? flaw
        }
        verification.run()
        guard let finding else { return }
        if finding.isTooLarge { throw .tooLarge(room: room.state.name, bytes: nil) }
        throw .badCopy("room '\(room.state.name)': \(finding)")
    }
}

extension SQLiteStorage {
    /// Removes a room's records and snapshots after a position, within a transaction.
    func removeRows(of room: Room, after sequence: UInt64) throws(StoreError) {
        let lower = RowKey.make(room: room.id, sequence: sequence + 1)
        let upper = RowKey.range(of: room.id).upperBound
        for table in ["log WHERE key", "snapshots WHERE key", "snapshot_parts WHERE snapshot"] {
            let statement = try connection.prepare("DELETE FROM \(table) BETWEEN ? AND ?")
            try statement.bind(1, lower)
            try statement.bind(2, upper)
            try statement.run()
        }
    }

    /// Replaces all of a room's records and snapshots by one snapshot after its last record, taken
    /// now, within a transaction. The caller writes the room's row.
    func replaceRows(
        of room: inout Room, by snapshot: StoredSnapshot, at time: TrustedTime
    ) throws(StoreError) {
        var snapshot = snapshot
        snapshot.trustedMilliseconds = time.milliseconds
        guard snapshot.sequence == room.state.lastSequence,
            snapshot.revision == room.state.lastRevision
        else { throw .conflict("the snapshot is not of the end of room '\(room.state.name)'") }
        try removeRows(of: room, after: 0)
        var saving = SnapshotSaving(room: room.id, snapshot: snapshot, isCompressed: true)
        let key = RowKey.make(room: room.id, sequence: snapshot.sequence)
        repeat { try writePart(of: &saving, key: key) } while saving.offset < snapshot.body.count
        try write(saving.header, of: room)
        room.state.firstSequence = snapshot.sequence + 1
        room.state.logBytes = 0
        room.state.snapshotBytes = saving.storedBytes
    }

    /// Removes a room from the list, within a transaction. Its rows are swept later.
    func markDeleted(_ room: Room) throws(StoreError) {
        try statements.removeRoom.bind(1, room.id)
        try statements.removeRoom.run()
        try statements.addDeleted.bind(1, room.id)
        try statements.addDeleted.run()
    }

    /// The transaction of a restoration is durable.
    ///
    /// A replaced room may be behind. When the storage closes, its row must not be written again.
    func didRestore(_ counts: StoreCounts, _ rooms: [Room], replacing former: [Room]) {
        self.counts = counts
        for room in rooms {
            appendedRecords += room.state.lastSequence
            nextRoom = max(nextRoom, room.id + 1)
            publish(room)
        }
        for room in former {
            appendedRecords -= room.state.lastSequence
            deletedRooms.append(room.id)
        }
        noteCommit()
    }
}
