package import SyncIO
package import SyncModel
package import SyncStore

/// A store on a simulated disk, as one process sees it: a `Storage` like SQLite's, with its moments
/// of danger.
///
/// It has the state of the journal up to its end, and reads the journal again when it is made and
/// after it has removed entries. Each write and each sync is an act of its process
/// (``SimulatedPlatform/beginAct()``), so the process may die between any two of them.
///
/// Invariants:
/// 1. A call that succeeds has synced everything that it wrote or returns.
/// 2. After a failed sync, no call returns anything until a later sync succeeds or the entries are
///    removed.
package final class SimulatedStorage: Storage, @unchecked Sendable {
    // Sendable, like everything in a simulation: a check ensures that only one thread uses it.
    private let disk: SimulatedDisk
    private let platform: SimulatedPlatform
    /// The state of the journal, as far as this process has written or read it.
    private var view = MemoryStorage()
    /// The end of the journal.
    private var end = 0
    private var isSynced = false
    private var stepsLeft: Int?

    /// Opens the data on the disk, for a process of the platform.
    package init(on disk: SimulatedDisk, for platform: SimulatedPlatform) {
        self.disk = disk
        self.platform = platform
        end = disk.entries.count
        readJournal()
    }

    private func readJournal() {
        view = MemoryStorage()
        // If the process has died, the disk may have been restored meanwhile.
        for entry in disk.entries.prefix(end) { take(entry) }
    }

    /// Entries of the journal were checked before they were written.
    private func take(_ entry: SimulatedDisk.Entry) {
        switch entry {
        case .record(let record, let room):
            _ = try? view.append([PendingAppend(record: record, room: room)])
        case .snapshot(let snapshot, let room): _ = try? view.saveSnapshot(snapshot, of: room)
        case .compaction(let room, let cutoff):
            _ = try? view.compact(room: room, olderThanTrustedMilliseconds: cutoff)
        case .deletion(let room): try? view.deleteRoom(room)
        case .time(let time): view.note(time)
        }
    }

    // MARK: Writing

    /// Makes everything in the journal durable: after a start, or a failed sync.
    private func settle() throws(StoreError) {
        guard !isSynced else { return }
        try act()
        try disk.sync()
        isSynced = true
    }

    private func commit(_ entries: [SimulatedDisk.Entry]) throws(StoreError) {
        try act()
        disk.write(entries, at: end)
        do throws(StoreError) {
            try act(isSync: true)
            try disk.sync()
            end = disk.entries.count
        } catch {
            // For a dead process nothing matters any more.
            switch disk.remainder() {
            case .kept:
                end = disk.entries.count
                isSynced = false
            case .takenBack: readJournal()
            }
            throw error
        }
    }

    private func act(isSync: Bool = false) throws(StoreError) {
        guard platform.beginAct(isSync: isSync) else { throw .closed }
    }

    package var time: StoreTime { view.time }

    package func note(_ time: TrustedTime) throws(StoreError) {
        try settle()
        try disk.checkRoom()
        view.note(time)
        try commit([.time(time)])
    }

    package func append(_ group: [PendingAppend]) throws(StoreError) -> [StoreError?] {
        try settle()
        try disk.checkRoom()
        let refusals = try view.append(group)
        let taken = zip(group, refusals).filter { $0.1 == nil }.map(\.0)
        if !taken.isEmpty { try commit(taken.map { .record($0.record, room: $0.room) }) }
        return refusals
    }

    package func deleteRoom(_ room: RoomName) throws(StoreError) {
        try settle()
        try view.deleteRoom(room)
        try commit([.deletion(room: room)])
    }

    package func saveSnapshot(
        _ snapshot: StoredSnapshot, of room: RoomName
    ) throws(StoreError) -> Bool {
        guard isLastStep() else { return false }
        try settle()
        try disk.checkRoom()
        _ = try view.saveSnapshot(snapshot, of: room)
        try commit([.snapshot(snapshot, room: room)])
        return true
    }

    package func compact(
        room: RoomName, olderThanTrustedMilliseconds cutoff: UInt64
    ) throws(StoreError) -> Bool {
        try settle()
        _ = try view.compact(room: room, olderThanTrustedMilliseconds: cutoff)
        try commit([.compaction(room: room, cutoff: cutoff)])
        return true
    }

    /// Counts the steps of a snapshot, which ends before the next one begins.
    private func isLastStep() -> Bool {
        let left = (stepsLeft ?? disk.stepCount()) - 1
        stepsLeft = left > 0 ? left : nil
        return left == 0
    }

    package func sweep() -> Bool { true }

    package func close() {}

    // MARK: Reading

    private func read() throws(StoreError) {
        try disk.checkReadable()
        try settle()
    }

    package func open(
        room: RoomName, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredRoom? {
        try read()
        return try view.open(room: room, admitting: mayRead)
    }

    package func readLog(
        room: RoomName, after sequence: UInt64, limitBytes: Int, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage {
        try read()
        return try view.readLog(
            room: room, after: sequence, limitBytes: limitBytes, admitting: mayRead)
    }

    package func readSnapshot(
        room: RoomName, atOrBelowRevision revision: UInt64, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot? {
        try read()
        return try view.readSnapshot(
            room: room, atOrBelowRevision: revision, admitting: mayRead)
    }

    package func oldestRevision(of room: RoomName) throws(StoreError) -> UInt64 {
        try read()
        return try view.oldestRevision(of: room)
    }

    package func rooms() throws(StoreError) -> [StoredRoomSummary] {
        try read()
        return view.rooms()
    }

    package func summary(of room: RoomName) throws(StoreError) -> StoredRoomSummary? {
        try read()
        return view.summary(of: room)
    }
}
