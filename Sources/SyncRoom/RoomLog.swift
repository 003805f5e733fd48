import SyncBytes
import SyncEngine
import SyncModel
import SyncWire

/// How far a room's log has come: the record being made, those on their way to the store, and what
/// is durable.
struct RoomLog: ~Copyable {
    struct Pending {
        let sequence: UInt64
        let lastRevision: Revision
        /// When its first transaction came.
        let began: UInt64?
    }

    var draft = RecordDraft()
    private var pending: [Pending] = []
    private(set) var durableRevision: Revision = 0
    private(set) var durableSequence: UInt64 = 0
    /// Of which room and epochs these are; the newest epoch may not be durable yet. `nil` before
    /// the room is open.
    private(set) var identity: RoomIdentity?
    /// How far back the horizon may stay behind.
    var reach: LogReach

    init(limitBytes: Int) {
        reach = LogReach(limitBytes: limitBytes)
    }

    var isPending: Bool { !pending.isEmpty }

    /// When the first transaction came that is applied and not durable; `nil` if there is none.
    var unseenSince: UInt64? { pending.first.map(\.began) ?? draft.began }

    /// Goes on with what is on disk: nothing else stands.
    mutating func begin(after state: RoomState) {
        forgetPending()
        durableSequence = state.sequence
        durableRevision = state.engine.revision
        identity = state.identity
    }

    /// Takes note of a record that goes to the store.
    mutating func send(_ record: LogRecord, began: UInt64?) {
        reach.add(record)
        pending.append(
            Pending(sequence: record.sequence, lastRevision: record.lastRevision, began: began))
    }

    /// The store has all records up to one.
    mutating func appended(through sequence: UInt64) {
        while let first = pending.first, first.sequence <= sequence {
            durableSequence = first.sequence
            durableRevision = first.lastRevision
            pending.removeFirst()
        }
    }

    /// Forgets what is not durable.
    mutating func forgetPending() {
        pending = []
        draft = RecordDraft()
    }
}

/// How far back the newest bytes of a room's log reach, in revisions.
///
/// What a room remembers of the past, deleted items and replaced contents, came in by the log or
/// was in the room before: so these bytes bound how much it can be.
///
/// # Performance
/// It counts by stretches of the log, a few dozen for the limit, and takes O(1) for a record.
struct LogReach {
    private struct Stretch {
        var bytes: Int
        var lastRevision: Revision
    }

    private let limitBytes: Int
    /// The newest ones that come to the limit, oldest first.
    private var stretches: [Stretch] = []
    private var bytes = 0
    /// The limit is not passed by what came after this revision.
    private(set) var start: Revision = 0

    private static let stretchesForLimit = 64

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    mutating func add(_ record: LogRecord) {
        bytes += record.body.count
        if let last = stretches.last, last.bytes < limitBytes / LogReach.stretchesForLimit {
            stretches[stretches.count - 1].bytes += record.body.count
            stretches[stretches.count - 1].lastRevision = record.lastRevision
        } else {
            stretches.append(
                Stretch(bytes: record.body.count, lastRevision: record.lastRevision))
        }
        while bytes > limitBytes, stretches.count > 1 {
            bytes -= stretches[0].bytes
            start = stretches.removeFirst().lastRevision
        }
    }
}
