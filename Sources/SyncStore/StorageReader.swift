/// Reads rooms. It is called on one thread, one call after the other. ``Store`` documents the
/// calls.
package protocol StorageReader: AnyObject {
    func open(room: String, admitting mayRead: StoreAdmission) throws(StoreError) -> StoredRoom?

    func readLog(
        room: String, after sequence: UInt64, limitBytes: Int, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> LogPage

    func readSnapshot(
        room: String, atOrBelowRevision revision: UInt64, admitting mayRead: StoreAdmission
    ) throws(StoreError) -> StoredSnapshot?

    func oldestRevision(of room: String) throws(StoreError) -> UInt64

    func rooms() throws(StoreError) -> [StoredRoomSummary]

    func summary(of room: String) throws(StoreError) -> StoredRoomSummary?

    /// The last call.
    func close()
}
