package import SyncModel

/// Interprets bodies for the ``StoreVerifier``, which checks that a room's snapshots match its
/// records.
///
/// For each room the verifier calls `begin`, then `apply` for each record that follows, and
/// `compare` at each snapshot. After a failure, or after damage in the log, it calls `begin` again
/// at the next snapshot. Each call returns what is wrong, or `nil`.
package protocol RoomReplay: AnyObject {
    /// Starts with a snapshot, or with the empty room.
    func begin(room: RoomName, at snapshot: StoredSnapshot?) -> RoomFlaw?

    /// Applies the next record.
    func apply(_ record: LogRecord) -> RoomFlaw?

    /// Compares the result of the records so far with the snapshot that was taken there.
    func compare(with snapshot: StoredSnapshot) -> RoomFlaw?
}

/// What is wrong with a room, or only that it is larger than may be read.
package struct RoomFlaw: Sendable, Equatable, ExpressibleByStringInterpolation,
    CustomStringConvertible
{
    /// For people.
    package let description: String
    package let isTooLarge: Bool

    package init(_ description: String, isTooLarge: Bool = false) {
        self.description = description
        self.isTooLarge = isTooLarge
    }

    package init(stringLiteral description: String) {
        self.init(description)
    }
}
