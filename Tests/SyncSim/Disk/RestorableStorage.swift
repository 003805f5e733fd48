package import SyncIO
package import SyncModel
package import SyncStore

/// Rooms in memory that outlive their server. They can be restored to an earlier copy, like a
/// backup.
package final class RestorableStorage: Storage, @unchecked Sendable {
    // Sendable: a simulation runs on one thread.

    private enum Change {
        case append(PendingAppend)
        case snapshot(StoredSnapshot, room: RoomName)
        case deletion(room: RoomName)
    }

    private var storage = MemoryStorage()
    private var changes: [Change] = []

    package init() {}

    /// A copy of the current state, to restore later.
    package var mark: Int { changes.count }

    /// Restores a copy.
    package func putBack(to mark: Int) {
        let kept = changes[..<mark]
        (storage, changes) = (MemoryStorage(), [])
        for change in kept {
            switch change {
            case .append(let append): _ = try? self.append([append])
            case .snapshot(let snapshot, let room): _ = try? saveSnapshot(snapshot, of: room)
            case .deletion(let room): try? deleteRoom(room)
            }
        }
    }

    package var time: StoreTime { storage.time }

    package func note(_ time: TrustedTime) throws(StoreError) { storage.note(time) }

    package func append(_ group: [PendingAppend]) throws(StoreError) -> [StoreError?] {
        let results = try storage.append(group)
        for (append, error) in zip(group, results) where error == nil {
            changes.append(.append(append))
        }
        return results
    }

    package func open(
        room: RoomName, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredRoom? {
        try storage.open(room: room, admitting: mayRead)
    }

    package func readLog(
        room: RoomName, after sequence: UInt64, limitBytes: Int, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage {
        try storage.readLog(
            room: room, after: sequence, limitBytes: limitBytes, admitting: mayRead)
    }

    package func readSnapshot(
        room: RoomName, atOrBelowRevision revision: UInt64, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot? {
        try storage.readSnapshot(room: room, atOrBelowRevision: revision, admitting: mayRead)
    }

    package func oldestRevision(of room: RoomName) throws(StoreError) -> UInt64 {
        try storage.oldestRevision(of: room)
    }

    package func rooms() throws(StoreError) -> [StoredRoomSummary] { storage.rooms() }

    package func summary(of room: RoomName) throws(StoreError) -> StoredRoomSummary? {
        storage.summary(of: room)
    }

    package func deleteRoom(_ room: RoomName) throws(StoreError) {
        try storage.deleteRoom(room)
        changes.append(.deletion(room: room))
    }

    package func saveSnapshot(
        _ snapshot: StoredSnapshot, of room: RoomName
    ) throws(StoreError) -> Bool {
        changes.append(.snapshot(snapshot, room: room))
        return try storage.saveSnapshot(snapshot, of: room)
    }

    package func compact(
        room: RoomName, olderThanTrustedMilliseconds cutoff: UInt64
    ) throws(StoreError) -> Bool {
        try storage.compact(room: room, olderThanTrustedMilliseconds: cutoff)
    }

    package func sweep() throws(StoreError) -> Bool { storage.sweep() }

    package func close() {}
}
