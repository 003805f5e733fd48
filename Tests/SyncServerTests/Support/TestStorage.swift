import SyncBytes
import SyncIO
import SyncModel
import SyncStore

/// Rooms in memory that outlive their server and can fail as a disk does.
final class TestStorage: Storage, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    /// How appends fail.
    enum Fault {
        /// Nothing is written, and the store says so.
        case refuse(StoreError)
        /// The records are written, but the sync fails, so the store does not know whether they are
        /// durable.
        case writeAndFail(StoreError)
    }

    private let storage = MemoryStorage()
    var appendFault: Fault?
    /// How many more appends succeed before the fault.
    var appendsBeforeFault = 0
    var openFault: StoreError?
    /// The rooms that were opened, in order.
    private(set) var openedRooms: [RoomName] = []
    private(set) var appendCount = 0
    /// The saved snapshots, in order.
    private(set) var savedSnapshots: [StoredSnapshot] = []
    /// The reported use of the disk: the set value, or the real one.
    var usedBytes: UInt64 {
        get { saidBytes ?? storage.usedBytes }
        set { saidBytes = newValue }
    }
    private var saidBytes: UInt64?
    /// How much fits on the disk.
    var maximumBytes = UInt64.max
    /// How many appends failed because the disk was full.
    private(set) var fullCount = 0
    /// How many times all rooms were listed.
    private(set) var listCount = 0
    /// How many times a part of a log was read, and how many bytes.
    private(set) var logReadCount = 0
    private(set) var logReadBytes = 0

    var time: StoreTime { storage.time }

    func note(_ time: TrustedTime) throws(StoreError) { storage.note(time) }

    func append(_ group: [PendingAppend]) throws(StoreError) -> [StoreError?] {
        appendCount += group.count
        let bytes = group.reduce(0) { $0 + UInt64($1.record.body.count) }
        guard storage.usedBytes + bytes <= maximumBytes else {
            fullCount += 1
            throw .diskFull
        }
        if appendsBeforeFault > 0 {
            appendsBeforeFault -= 1
            return try storage.append(group)
        }
        switch appendFault {
        case .refuse(let error): throw error
        case .writeAndFail(let error):
            _ = try storage.append(group)
            throw error
        case nil: return try storage.append(group)
        }
    }

    func open(room: RoomName) throws(StoreError) -> StoredRoom? {
        try open(room: room) { _ in true }
    }

    func open(
        room: RoomName, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredRoom? {
        openedRooms.append(room)
        if let openFault { throw openFault }
        return try storage.open(room: room, admitting: mayRead)
    }

    func readLog(
        room: RoomName, after sequence: UInt64, limitBytes: Int
    ) throws(StoreError) -> LogPage {
        try readLog(room: room, after: sequence, limitBytes: limitBytes) { _ in true }
    }

    func readLog(
        room: RoomName, after sequence: UInt64, limitBytes: Int, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage {
        logReadCount += 1
        let page = try storage.readLog(
            room: room, after: sequence, limitBytes: limitBytes, admitting: mayRead)
        logReadBytes += page.records.reduce(0) { $0 + $1.body.count }
        return page
    }

    func readSnapshot(
        room: RoomName, atOrBelowRevision revision: UInt64, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot? {
        try storage.readSnapshot(room: room, atOrBelowRevision: revision, admitting: mayRead)
    }

    func oldestRevision(of room: RoomName) throws(StoreError) -> UInt64 {
        try storage.oldestRevision(of: room)
    }

    func rooms() throws(StoreError) -> [StoredRoomSummary] {
        listCount += 1
        return storage.rooms()
    }

    func summary(of room: RoomName) throws(StoreError) -> StoredRoomSummary? {
        storage.summary(of: room)
    }

    func deleteRoom(_ room: RoomName) throws(StoreError) { try storage.deleteRoom(room) }

    func saveSnapshot(_ snapshot: StoredSnapshot, of room: RoomName) throws(StoreError) -> Bool {
        savedSnapshots.append(snapshot)
        return try storage.saveSnapshot(snapshot, of: room)
    }

    func compact(
        room: RoomName, olderThanTrustedMilliseconds cutoff: UInt64
    ) throws(StoreError) -> Bool {
        try storage.compact(room: room, olderThanTrustedMilliseconds: cutoff)
    }

    func sweep() throws(StoreError) -> Bool { storage.sweep() }

    func close() {}
}
