package import SyncCounts
package import SyncIO
package import SyncModel

/// Stores rooms: for each a log of its commits, and snapshots from which reading starts.
///
/// The store does not know what a room is. Bodies are opaque bytes; beside them it stores
/// positions, revisions and times.
///
/// A room's **log** is its records 1, 2, 3 …, each with what the room committed in one tick. A
/// **snapshot** is the room after some record. A room is opened from its newest snapshot and the
/// records after it; its past is read from the newest snapshot at or below a revision and the
/// records after that.
///
/// Invariants:
/// 1. When an append completes, the record is durable: on disk and synced.
/// 2. Records have no gaps: record n is there only after record n-1, and its first revision follows
///    the last one of record n-1.
/// 3. Every record, snapshot and room is checksummed together with the room's name and its
///    position. Damage on disk leads to a ``StoreError``, never to a wrong answer.
/// 4. Only committed data is read.
/// 5. Sequences and revisions that are read are in bounds, so the next and the previous number
///    never overflow.
///
/// Calls may be made on any thread. Each completion is called exactly once, on one of the store's
/// own threads. Code that belongs to a loop posts from there into the loop's mailbox.
///
/// Appends go first: a commit takes up to a few megabytes, of all rooms in turn. Long calls (saving
/// a snapshot, compacting) are done in steps of about a megabyte between the others. Reads may run
/// beside all of them. So a call that depends on another one is made in that one's completion.
///
/// There are two stores: in memory and on SQLite. Each is a ``Storage`` on a worker
/// (``WorkerStore``).
///
/// # Performance
/// An append costs its share of one sync: records that wait are committed together.
///
/// The store's user decides what bodies mean, when snapshots are taken and how much history is
/// kept.
package protocol Store: Log, Snapshots {
    /// Reads what is needed to continue a room: its newest snapshot and all records after it; `nil`
    /// if there is no such room.
    ///
    /// - Parameter mayRead: a ``StoreAdmission``, on one of the store's threads.
    func open(
        room: RoomName, admitting mayRead: @escaping @Sendable (Int) -> Bool,
        completion: @escaping StoreCompletion<StoredRoom?>
    )

    /// Lists all rooms, sorted by name.
    func rooms(completion: @escaping StoreCompletion<[StoredRoomSummary]>)

    /// Reads a room's summary; `nil` if there is no such room.
    func summary(of room: RoomName, completion: @escaping StoreCompletion<StoredRoomSummary?>)

    /// About how many bytes the store uses; 0 if it does not count them. May be read on any thread.
    var usedBytes: UInt64 { get }

    /// What the store has done so far, and what waits. May be read on any thread.
    var figures: StoreFigures { get }

    /// Removes a room with all its past. When this completes the name is free; the space is given
    /// back later.
    func deleteRoom(_ room: RoomName, completion: @escaping StoreCompletion<Void>)

    /// What the store knew of time when it was opened. May be read on any thread.
    var time: StoreTime { get }

    /// Keeps the time, so that it can be resumed when the store is opened next.
    func note(_ time: TrustedTime, completion: @escaping StoreCompletion<Void>)

    /// Removes a room's records up to the newest snapshot that is older than `cutoff`, and the
    /// snapshots before that one. So the room's past can still be read from `cutoff` on.
    ///
    /// - Parameter cutoff: a ``TrustedTime``, like the snapshots' own times. The times in records
    ///   don't matter: a snapshot is no older than the records before it.
    func compact(
        room: RoomName, olderThanTrustedMilliseconds cutoff: UInt64,
        completion: @escaping StoreCompletion<Void>
    )

    /// Finishes all calls that were made, closes the store, and then returns. Later calls fail with
    /// ``StoreError/closed`` at once, on the caller's thread.
    func finish()
}

/// A store's figures, for its server's metrics.
package struct StoreFigures: Sendable, Equatable {
    /// Records that are durable.
    package var records = 0
    /// Groups of records that could not be committed.
    package var failedCommits = 0
    /// How long each commit took, in microseconds; `nil` if nobody measures it.
    package var commits: HistogramReading?
    /// Records that wait to be committed, and their bytes. Those that are being committed do not
    /// count.
    package var waitingRecords = 0
    package var waitingBytes = 0
    /// Other calls that wait, without those that only read.
    package var waitingCalls = 0

    package init() {}
}

/// Receives the result of a call to the store.
package typealias StoreCompletion<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// The log of every room.
package protocol Log: Sendable {
    /// Makes a record durable. The first record of a room creates the room.
    ///
    /// Records of one room may be appended without waiting; if one fails, those after it fail too.
    /// After ``StoreError/conflict(_:)`` nothing has changed. After any other error it is uncertain
    /// whether the record will be there when the store is opened next (a sync that failed may have
    /// written): the room must be opened again before anything is appended to it.
    func append(_ record: LogRecord, to room: RoomName, completion: @escaping StoreCompletion<Void>)

    /// Reads records after a position, as many as fit the limit, but at least one if there is one.
    ///
    /// Fails with ``StoreError/compacted(room:firstSequence:)`` if the next record is no longer
    /// kept.
    ///
    /// - Parameters:
    ///   - limitBytes: limits the sum of the ``LogRecord/readBytes``.
    ///   - mayRead: a ``StoreAdmission``, on one of the store's threads. A single record may be
    ///     large, so it is asked with the bytes of all records that would be read. It is not asked
    ///     if there are none.
    func readLog(
        room: RoomName, after sequence: UInt64, limitBytes: Int,
        admitting mayRead: @escaping @Sendable (Int) -> Bool,
        completion: @escaping StoreCompletion<LogPage>
    )
}

/// The snapshots of every room.
package protocol Snapshots: Sendable {
    /// Stores a snapshot of a room, taken after a record whose append has completed. Older ones are
    /// thinned out (``SnapshotThinning``). If the position has a snapshot already, that one stays.
    func saveSnapshot(
        _ snapshot: StoredSnapshot, of room: RoomName, completion: @escaping StoreCompletion<Void>
    )

    /// Reads the newest snapshot at or below a revision; `nil` means the room's past begins with
    /// the empty room, before record 1.
    ///
    /// Fails with ``StoreError/compacted(room:firstSequence:)`` if the history does not reach back
    /// so far.
    ///
    /// - Parameter mayRead: a ``StoreAdmission``, on one of the store's threads. It is asked only
    ///   if there is a snapshot.
    func readSnapshot(
        room: RoomName, atOrBelowRevision revision: UInt64,
        admitting mayRead: @escaping @Sendable (Int) -> Bool,
        completion: @escaping StoreCompletion<StoredSnapshot?>
    )

    /// Finds the oldest revision of a room that can be read; 0 is the empty room, before record 1.
    func oldestRevision(of room: RoomName, completion: @escaping StoreCompletion<UInt64>)
}
