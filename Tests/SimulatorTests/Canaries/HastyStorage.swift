import SyncIO
import SyncModel
import SyncStore

/// Reports records as durable as soon as it receives them, and writes them with the next call.
final class HastyStorage: Storage, @unchecked Sendable {
    // Sendable, because a simulation has one thread.
    private let storage: any Storage
    private var waiting: [PendingAppend] = []

    init(_ storage: any Storage) {
        self.storage = storage
    }

    var time: StoreTime { storage.time }

    func note(_ time: TrustedTime) throws(StoreError) { try storage.note(time) }

    func append(_ group: [PendingAppend]) throws(StoreError) -> [StoreError?] {
        try write()
        waiting = group
        return group.map { _ in nil }
    }

    private func write() throws(StoreError) {
        guard !waiting.isEmpty else { return }
        defer { waiting = [] }
        _ = try storage.append(waiting)
    }

    func open(
        room: RoomName, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredRoom? {
        try write()
        return try storage.open(room: room, admitting: mayRead)
    }

    func readLog(
        room: RoomName, after sequence: UInt64, limitBytes: Int, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage {
        try write()
        return try storage.readLog(
            room: room, after: sequence, limitBytes: limitBytes, admitting: mayRead)
    }

    func readSnapshot(
        room: RoomName, atOrBelowRevision revision: UInt64, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot? {
        try write()
        return try storage.readSnapshot(
            room: room, atOrBelowRevision: revision, admitting: mayRead)
    }

    func oldestRevision(of room: RoomName) throws(StoreError) -> UInt64 {
        try write()
        return try storage.oldestRevision(of: room)
    }

    func rooms() throws(StoreError) -> [StoredRoomSummary] {
        try write()
        return try storage.rooms()
    }

    func summary(of room: RoomName) throws(StoreError) -> StoredRoomSummary? {
        try write()
        return try storage.summary(of: room)
    }

    func deleteRoom(_ room: RoomName) throws(StoreError) {
        try write()
        try storage.deleteRoom(room)
    }

    func saveSnapshot(_ snapshot: StoredSnapshot, of room: RoomName) throws(StoreError) -> Bool {
        try write()
        return try storage.saveSnapshot(snapshot, of: room)
    }

    func compact(
        room: RoomName, olderThanTrustedMilliseconds cutoff: UInt64
    ) throws(StoreError) -> Bool {
        try write()
        return try storage.compact(room: room, olderThanTrustedMilliseconds: cutoff)
    }

    func sweep() throws(StoreError) -> Bool { try storage.sweep() }

    func close() { storage.close() }
}
