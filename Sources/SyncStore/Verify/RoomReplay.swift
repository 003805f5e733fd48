package import SyncModel

/// Who knows what bodies mean, as the ``StoreVerifier`` needs it: to see that a room's snapshots
/// are what its records make.
///
/// For each room there is a `begin`, then `apply` for the records that follow, and `compare` where
/// a snapshot stands. After a failure, or where the log is damaged, it goes on with another `begin`
/// at the next snapshot. Each returns what is wrong, in words, or `nil`.
package protocol RoomReplay: AnyObject {
    /// Starts with a snapshot, or with the empty room.
    func begin(room: String, at snapshot: StoredSnapshot?) -> String?

    /// Goes on by the next record.
    func apply(_ record: LogRecord) -> String?

    /// Compares what the records have made with the snapshot taken there.
    func compare(with snapshot: StoredSnapshot) -> String?
}
