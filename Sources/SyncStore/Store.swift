package import SyncModel

/// Where rooms are kept: for each a log of what it committed, and snapshots to start reading from.
///
/// The store knows nothing of what a room is. Bodies are opaque bytes; what it keeps beside them
/// are positions, revisions and times.
///
/// A room's **log** is its records 1, 2, 3 …, each what the room committed in one tick. A
/// **snapshot** is the room after some record. A room is opened from its newest snapshot and the
/// records after it; its past is read from the newest snapshot at or below a revision and the
/// records after that.
///
/// Invariants:
/// 1. When an append completes, the record is durable: on disk and synced.
/// 2. Records have no gaps: record n is there only after record n-1, and its first revision follows
///    the last one of record n-1.
/// 3. Every record, snapshot and room is checksummed together with the room's name and its
///    position. What was damaged on disk is a ``StoreError``, never a wrong answer.
/// 4. What is read has been committed.
/// 5. Sequences and revisions of what is read are in bounds: those after the last and before the
///    first are numbers, too.
///
/// Calls may be made on any thread. Their completions are called on one of the store's own threads,
/// each exactly once; whoever lives on a loop posts from there into its mailbox. Appends go before
/// other calls, a few megabytes in one commit, of all rooms in turn; long calls (saving a snapshot,
/// compacting) are done in steps of about a megabyte between the others; what only reads may be
/// done beside all of them. So what depends on another call is asked for in that call's completion.
///
/// There are two: in memory and on SQLite, both a ``Storage`` on a worker (``WorkerStore``).
///
/// # Performance
/// An append costs its share of one sync: records that wait are committed together.
///
/// What the bodies mean, when snapshots are taken and how much history is kept is for others to
/// say.
package protocol Store: Log, Snapshots {
    /// Reads what is needed to go on with a room: its newest snapshot and all records after it;
    /// `nil` if there is no such room.
    func open(room: String, completion: @escaping StoreCompletion<StoredRoom?>)

    /// What rooms there are, by name.
    func rooms(completion: @escaping StoreCompletion<[StoredRoomSummary]>)

    /// What there is to say of a room; `nil` if there is no such room.
    func summary(of room: String, completion: @escaping StoreCompletion<StoredRoomSummary?>)

    /// How much of the disk is in use, about; 0 where that means nothing. Any thread may ask.
    var usedBytes: UInt64 { get }

    /// Removes a room with all its past. When this completes the name is free; the space is given
    /// back later.
    func deleteRoom(_ room: String, completion: @escaping StoreCompletion<Void>)

    /// Forgets a room's records up to the newest snapshot that is older than `cutoff`, and the
    /// snapshots before that one. So the room's past can still be read from `cutoff` on.
    func compact(
        room: String, olderThanWallClockMilliseconds cutoff: UInt64,
        completion: @escaping StoreCompletion<Void>
    )

    /// Does all that was asked for, closes, and returns then. Later calls fail with
    /// ``StoreError/closed`` at once, on the caller's thread.
    func finish()
}

/// What a call to the store is answered with.
package typealias StoreCompletion<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// The log of every room.
package protocol Log: Sendable {
    /// Makes a record durable. The first one of a room makes the room.
    ///
    /// Records of one room may be appended without waiting; if one fails, those after it fail too.
    /// After ``StoreError/conflict(_:)`` nothing has happened. After any other error it is
    /// uncertain whether the record will be there when the store is opened next (a sync that failed
    /// may have written): the room must be opened again before anything is appended to it.
    func append(_ record: LogRecord, to room: String, completion: @escaping StoreCompletion<Void>)

    /// Reads records after a position, as many as fit the limit, but at least one if there is one.
    ///
    /// Fails with ``StoreError/compacted(room:firstSequence:)`` if the next record is no longer
    /// kept.
    func readLog(
        room: String, after sequence: UInt64, limitBytes: Int,
        completion: @escaping StoreCompletion<LogPage>
    )
}

/// The snapshots of every room.
package protocol Snapshots: Sendable {
    /// Keeps a snapshot of a room after a record whose append has completed. Older ones are thinned
    /// out (``SnapshotThinning``). A position that has a snapshot keeps the one it has.
    func saveSnapshot(
        _ snapshot: StoredSnapshot, of room: String, completion: @escaping StoreCompletion<Void>
    )

    /// The newest snapshot at or below a revision; `nil` means the room's past begins with the
    /// empty room, before record 1.
    ///
    /// Fails with ``StoreError/compacted(room:firstSequence:)`` if the past goes no longer so far.
    func readSnapshot(
        room: String, atOrBelowRevision revision: UInt64,
        completion: @escaping StoreCompletion<StoredSnapshot?>
    )
}
