import SyncModel
import SyncStore

extension StorageReader {
    /// Reads a room, however large it is.
    func open(room: RoomName) throws(StoreError) -> StoredRoom? {
        try open(room: room) { _ in true }
    }

    /// Reads records, however large they are.
    func readLog(
        room: RoomName, after sequence: UInt64, limitBytes: Int
    ) throws(StoreError) -> LogPage {
        try readLog(room: room, after: sequence, limitBytes: limitBytes) { _ in true }
    }

    /// Reads a snapshot, however large it is.
    func readSnapshot(
        room: RoomName, atOrBelowRevision revision: UInt64
    ) throws(StoreError) -> StoredSnapshot? {
        try readSnapshot(room: room, atOrBelowRevision: revision) { _ in true }
    }
}
