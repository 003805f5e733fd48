import SyncBytes
import SyncEngine
import SyncModel
import SyncWire

/// The progress of a room's log: the record that is being made, the records on their way to the
/// store, and what is durable.
struct RoomLog: ~Copyable {
    struct Pending {
        let sequence: UInt64
        let lastRevision: Revision
        /// When its first transaction came.
        let firstArrival: UInt64?
    }

    var draft = RecordDraft()
    private var pending: [Pending] = []
    private(set) var durableRevision: Revision = 0
    private(set) var durableSequence: UInt64 = 0
    /// The room's id and epochs; the newest epoch may not be durable yet. `nil` before the room is
    /// open.
    private(set) var identity: RoomIdentity?
    /// How far back the horizon may be.
    var reach: LogReach

    init(limitBytes: Int) {
        reach = LogReach(limitBytes: limitBytes)
    }

    /// The last record, also if it is still being made.
    var lastSequence: UInt64 {
        (pending.last?.sequence ?? durableSequence) + (draft.isBegun ? 1 : 0)
    }

    var isPending: Bool { !pending.isEmpty }

    /// When the oldest transaction came that is applied and not durable; `nil` if there is none.
    var pendingSince: UInt64? { pending.first.map(\.firstArrival) ?? draft.firstArrival }

    /// Goes on with the state on disk, and drops everything else.
    mutating func begin(after state: RoomState) {
        forgetPending()
        durableSequence = state.sequence
        durableRevision = state.engine.revision
        identity = state.identity
    }

    /// Records that a record goes to the store.
    mutating func send(_ record: LogRecord, firstArrival: UInt64?) {
        reach.add(record)
        pending.append(
            Pending(
                sequence: record.sequence, lastRevision: record.lastRevision,
                firstArrival: firstArrival))
    }

    /// The store has all records up to this one.
    mutating func appended(through sequence: UInt64) {
        while let first = pending.first, first.sequence <= sequence {
            durableSequence = first.sequence
            durableRevision = first.lastRevision
            pending.removeFirst()
        }
    }

    /// Drops the records that are not durable.
    mutating func forgetPending() {
        pending = []
        draft = RecordDraft()
    }
}

/// The first revision that is in the newest bytes of a room's log.
///
/// The horizon does not stay behind this revision. That bounds what a room remembers of its past:
/// deleted items and replaced contents either came with these bytes of the log, or were in the room
/// when they began.
///
/// # Performance
/// It counts by stretches of the log, some 64 for the limit, and takes O(1) for a record.
struct LogReach {
    private struct Stretch {
        var bytes: Int
        var lastRevision: Revision
    }

    /// Another limit counts from the next record on.
    var limitBytes: Int
    /// The newest stretches, oldest first. Together they have no more bytes than the limit, or
    /// there is only one.
    private var stretches: [Stretch] = []
    private var bytes = 0
    /// The records after this revision have no more bytes than the limit.
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
