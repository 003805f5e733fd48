import SyncEngine
import SyncWire

/// How far a room's log has come: the record being made, those on their way to the store, and what is durable.
struct RoomLog: ~Copyable {
    /// A record on its way to the store.
    struct Pending {
        let sequence: UInt64
        let lastRevision: Revision
        /// When its first transaction came.
        let began: UInt64?
    }

    /// The record being made.
    var draft = RecordDraft()
    private var pending: [Pending] = []
    /// What the store has.
    private(set) var durableRevision: Revision = 0
    private(set) var durableSequence: UInt64 = 0
    /// Of which room and epochs these are; the newest epoch may not be durable yet. `nil` before the room is open.
    private(set) var identity: RoomIdentity?
    /// How far back the horizon may stay behind.
    var reach: LogReach

    init(limitBytes: Int) {
        reach = LogReach(limitBytes: limitBytes)
    }

    /// Whether a record is on its way to the store.
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
    mutating func send(_ record: RoomRecord, began: UInt64?) {
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
