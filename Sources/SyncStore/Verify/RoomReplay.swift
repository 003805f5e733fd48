package import SyncModel

/// Interprets bodies for the ``StoreVerifier``, which checks that a room's snapshots match its
/// records.
///
/// For each room the verifier calls `begin`, then `apply` for each record that follows, and
/// `compare` at each snapshot. After a failure, or after damage in the log, it calls `begin` again
/// at the next snapshot. Each call returns a description of what is wrong, or `nil`.
package protocol RoomReplay: AnyObject {
    /// Starts with a snapshot, or with the empty room.
    func begin(room: String, at snapshot: StoredSnapshot?) -> String?

    /// Applies the next record.
    func apply(_ record: LogRecord) -> String?

    /// Compares the result of the records so far with the snapshot that was taken there.
    func compare(with snapshot: StoredSnapshot) -> String?
}
