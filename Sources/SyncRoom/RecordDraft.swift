import SyncBytes
import SyncEngine
import SyncWire

/// The record of a tick, being written. Its buffer serves tick after tick.
struct RecordDraft: ~Copyable {
    private(set) var count = 0
    /// When the first transaction came; `nil` if there is none, or nobody has said.
    private(set) var began: UInt64?
    private var firstRevision: Revision = 0
    /// The horizon in force, for all of it.
    private(set) var horizon: Revision = 0
    private var writer = ByteWriter(capacity: 256)

    /// Begins the record, with the revision that its first commit will make.
    ///
    /// - Parameter epoch: what the record says of the room's identity, if anything.
    mutating func begin(firstRevision: Revision, horizon: Revision, epoch: EpochEntry?) {
        precondition(count == 0, "a record is begun once")
        self.firstRevision = firstRevision
        self.horizon = horizon
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

    /// Enters a transaction, or why it was refused.
    mutating func append(
        _ entry: LogEntry, _ transaction: TransactionView, _ rejection: Rejection?
    ) {
        count += 1
        entry.writeHead(to: &writer)
        let mark = writer.beginLengthDelimited()
        if let rejection {
            rejection.write(to: &writer)
        } else {
            transaction.write(to: &writer)
        }
        writer.endLengthDelimited(mark)
    }

    mutating func finish(
        sequence: UInt64, lastRevision: Revision, wallClockMilliseconds: UInt64
    ) -> RoomRecord {
        defer {
            count = 0
            began = nil
        }
        return RoomRecord(
            sequence: sequence, firstRevision: firstRevision, lastRevision: lastRevision,
            wallClockMilliseconds: wallClockMilliseconds, body: SharedBytes(copying: writer.bytes))
    }
}
