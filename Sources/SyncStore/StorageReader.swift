package import SyncModel

/// Reads rooms. It is called on one thread, one call after the other. ``Store`` documents the
/// calls.
package protocol StorageReader: AnyObject {
    func open(room: RoomName, admitting mayRead: StoreAdmission) throws(StoreError) -> StoredRoom?

    func readLog(
        room: RoomName, after sequence: UInt64, limitBytes: Int, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage

    func readSnapshot(
        room: RoomName, atOrBelowRevision revision: UInt64, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot?

    func oldestRevision(of room: RoomName) throws(StoreError) -> UInt64

    func rooms() throws(StoreError) -> [StoredRoomSummary]

    func summary(of room: RoomName) throws(StoreError) -> StoredRoomSummary?

    /// The last call.
    func close()
}
