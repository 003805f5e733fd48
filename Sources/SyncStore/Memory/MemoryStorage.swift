import SyncBytes
package import SyncIO
package import SyncModel

/// Rooms kept in memory, for servers that need no durability, and for tests.
package final class MemoryStorage: Storage {
    private struct Room {
        var state: LogState
        var records: [LogRecord] = []
        /// Ascending.
        var snapshots: [StoredSnapshot] = []

        mutating func countSnapshotBytes() {
            state.snapshotBytes = snapshots.reduce(0) { $0 + UInt64($1.body.count) }
        }

        /// The memory that it takes.
        var byteCount: UInt64 {
            state.logBytes + state.snapshotBytes
                + UInt64(records.count + snapshots.count) * Room.bytesOfRecord
        }

        /// What a record or a snapshot takes beside its body.
        private static let bytesOfRecord: UInt64 = 160
    }

    private var roomsByName: [RoomName: Room] = [:]
    /// The memory that all rooms take.
    package private(set) var usedBytes: UInt64 = 0
    private var noted: TrustedTime?

    package init() {}

    package var time: StoreTime {
        StoreTime(
            noted: noted,
            newestMilliseconds: roomsByName.values.map(\.state.changedMilliseconds).max())
    }

    package func note(_ time: TrustedTime) { noted = time }

    /// Replaces the bytes that a room used before in ``usedBytes`` by those that it uses now.
    private func recount(_ name: RoomName, insteadOf former: UInt64) {
        usedBytes += roomsByName[name]?.byteCount ?? 0
        usedBytes -= former
    }

    package func append(_ group: [PendingAppend]) throws(StoreError) -> [StoreError?] {
        group.map { append in
            do throws(StoreError) {
                let time = append.record.wallClockMilliseconds
                var state =
                    roomsByName[append.room]?.state
                    ?? LogState(name: append.room, createdMilliseconds: time)
                try state.append(append.record)
                let former = roomsByName[append.room]?.byteCount ?? 0
                roomsByName[append.room, default: Room(state: state)].records.append(append.record)
                roomsByName[append.room]?.state = state
                recount(append.room, insteadOf: former)
                return nil
            } catch {
                return error
            }
        }
    }

    package func open(
        room name: RoomName, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredRoom? {
        guard let room = roomsByName[name] else { return nil }
        let snapshot = room.snapshots.last
        let after = snapshot?.sequence ?? 0
        let records = room.records.filter { $0.sequence > after }
        try StoreError.check(
            name, bytes: [snapshot?.body.count ?? 0] + records.map(\.readBytes),
            admitting: mayRead)
        return StoredRoom(snapshot: snapshot, records: records)
    }

    package func readLog(
        room name: RoomName, after sequence: UInt64, limitBytes: Int,
        admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage {
        let room = try existing(name)
        let state = room.state
        guard sequence < state.lastSequence else { return LogPage(records: [], isLast: true) }
        guard sequence + 1 >= state.firstSequence else {
            throw .compacted(room: name, firstSequence: state.firstSequence)
        }
        var page = LogPage(records: [], isLast: false)
        var bytes = 0
        for record in room.records.dropFirst(Int(sequence + 1 - state.firstSequence)) {
            let sum = bytes + record.readBytes
            if sum > limitBytes, !page.records.isEmpty { break }
            bytes = sum
            page.records.append(record)
        }
        try StoreError.check(name, bytes: [bytes], admitting: mayRead)
        page.isLast = page.records.last?.sequence == state.lastSequence
        return page
    }

    package func readSnapshot(
        room name: RoomName, atOrBelowRevision revision: UInt64, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot? {
        let room = try existing(name)
        if let snapshot = room.snapshots.last(where: { $0.revision <= revision }) {
            try StoreError.check(name, bytes: [snapshot.body.count], admitting: mayRead)
            return snapshot
        }
        guard room.state.firstSequence == 1 else {
            throw .compacted(room: name, firstSequence: room.state.firstSequence)
        }
        return nil
    }

    package func oldestRevision(of name: RoomName) throws(StoreError) -> UInt64 {
        let room = try existing(name)
        return room.state.firstSequence == 1 ? 0 : room.snapshots.first?.revision ?? 0
    }

    package func rooms() -> [StoredRoomSummary] {
        roomsByName.values.map(\.state.summary).sorted { $0.name < $1.name }
    }

    package func summary(of room: RoomName) -> StoredRoomSummary? {
        roomsByName[room]?.state.summary
    }

    package func deleteRoom(_ room: RoomName) throws(StoreError) {
        guard let former = roomsByName.removeValue(forKey: room) else { throw .noSuchRoom(room) }
        usedBytes -= former.byteCount
    }

    package func saveSnapshot(
        _ snapshot: StoredSnapshot, of name: RoomName
    ) throws(StoreError) -> Bool {
        var room = try existing(name)
        try room.state.check(snapshot)
        let place = room.snapshots.firstIndex { $0.sequence >= snapshot.sequence }
        if let place, room.snapshots[place].sequence == snapshot.sequence { return true }
        room.snapshots.insert(snapshot, at: place ?? room.snapshots.endIndex)
        while let surplus = SnapshotThinning.surplus(
            room.snapshots.map(\.sequence), firstSequence: room.state.firstSequence)
        {
            room.snapshots.removeAll { $0.sequence == surplus }
        }
        room.countSnapshotBytes()
        let former = roomsByName[name]?.byteCount ?? 0
        roomsByName[name] = room
        recount(name, insteadOf: former)
        return true
    }

    package func compact(
        room name: RoomName, olderThanTrustedMilliseconds cutoff: UInt64
    ) throws(StoreError) -> Bool {
        var room = try existing(name)
        guard
            let base = room.snapshots.last(where: { $0.trustedMilliseconds < cutoff })
        else { return true }
        room.snapshots.removeAll { $0.sequence < base.sequence }
        let covered = room.records.prefix { $0.sequence <= base.sequence }
        room.state.logBytes -= covered.reduce(0) { $0 + UInt64($1.body.count) }
        room.records.removeFirst(covered.count)
        room.state.firstSequence = base.sequence + 1
        room.countSnapshotBytes()
        let former = roomsByName[name]?.byteCount ?? 0
        roomsByName[name] = room
        recount(name, insteadOf: former)
        return true
    }

    package func sweep() -> Bool { true }

    package func close() {
        roomsByName = [:]
        usedBytes = 0
    }

    private func existing(_ name: RoomName) throws(StoreError) -> Room {
        guard let room = roomsByName[name] else { throw .noSuchRoom(name) }
        return room
    }
}

extension WorkerStore {
    /// A store whose rooms are lost when the process ends.
    ///
    /// - Parameter clock: measures commits, in microseconds.
    package static func memory(
        worker: any Worker, clock: (@Sendable () -> UInt64)? = nil
    ) -> WorkerStore {
        WorkerStore(MemoryStorage(), worker: worker, clock: clock)
    }
}
