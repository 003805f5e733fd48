import SyncBytes
import SyncEngine
import SyncWire

/// The record of a tick, being written. Its buffer serves tick after tick.
struct RecordDraft: ~Copyable {
    /// How many transactions are in it. It is written only if there is one.
    private(set) var count = 0
    private(set) var isBegun = false
    /// When the first transaction came; `nil` if there is none, or nobody has said.
    private(set) var began: UInt64?
    private var firstRevision: Revision = 0
    private var writer = ByteWriter(capacity: 256)

    /// Begins the record, with the revision that its first commit will make.
    ///
    /// - Parameter epoch: what the record says of the room's identity, if anything.
    mutating func begin(firstRevision: Revision, epoch: EpochEntry?) {
        precondition(!isBegun, "a record is begun once")
        isBegun = true
        self.firstRevision = firstRevision
        writer.reset()
        writer.write(varint: LogEntry.format)
        EpochEntry.write(epoch, to: &writer)
    }

    /// Notes when what was entered came, unless that is known of what came before.
    mutating func note(time now: UInt64) {
        if count > 0, began == nil { began = now }
    }

    /// How much has been written.
    var byteCount: Int { count == 0 ? 0 : writer.count }

    /// Enters a transaction that was accepted, of an author that the log knows.
    mutating func append(
        commitOf slot: UInt32, _ counter: UInt64, _ transaction: TransactionView
    ) {
        LogEntry.write(commitOf: slot, counter, to: &writer)
        append(transaction)
    }

    /// Enters a transaction that was accepted, and who made it.
    @inline(never)
    mutating func append(_ entry: LogEntry, _ transaction: TransactionView) {
        entry.writeHead(to: &writer)
        append(transaction)
    }

    @inline(__always)
    private mutating func append(_ transaction: TransactionView) {
        count += 1
        let mark = writer.beginLengthDelimited()
        transaction.write(to: &writer)
        writer.endLengthDelimited(mark)
    }

    /// Enters that the last transaction has an author evicted.
    mutating func append(evictionOf slot: UInt32) {
        LogEntry.write(evictionOf: slot, to: &writer)
    }

    /// - Parameter horizon: the horizon behind it.
    mutating func finish(
        sequence: UInt64, lastRevision: Revision, horizon: Revision, wallClockMilliseconds: UInt64
    ) -> RoomRecord {
        defer {
            count = 0
            isBegun = false
            began = nil
        }
        LogEntry.write(horizon: horizon, to: &writer)
        return RoomRecord(
            sequence: sequence, firstRevision: firstRevision, lastRevision: lastRevision,
            wallClockMilliseconds: wallClockMilliseconds, body: SharedBytes(copying: writer.bytes))
    }
}
