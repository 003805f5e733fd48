import SyncStore

extension StorageReader {
    /// Reads a room, however large it is.
    func open(room: String) throws(StoreError) -> StoredRoom? {
        try open(room: room) { _ in true }
    }

    /// Reads a snapshot, however large it is.
    func readSnapshot(
        room: String, atOrBelowRevision revision: UInt64
    ) throws(StoreError) -> StoredSnapshot? {
        try readSnapshot(room: room, atOrBelowRevision: revision) { _ in true }
    }
}
