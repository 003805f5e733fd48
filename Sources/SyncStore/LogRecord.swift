package import SyncBytes

/// What a room committed in one tick.
package struct LogRecord: Sendable, Equatable {
    /// The place in the room's log, from 1.
    package var sequence: UInt64
    /// The first revision in the record; the one after the record before, also when there is none
    /// in this one.
    package var firstRevision: UInt64
    /// The last revision in the record; `firstRevision - 1` if it commits none (it may hold only
    /// rejects).
    package var lastRevision: UInt64
    /// When it was committed, in milliseconds since 1970.
    package var wallClockMilliseconds: UInt64
    /// The room's entries, with their times and authors. Opaque to the store.
    package var body: SharedBytes

    package init(
        sequence: UInt64, firstRevision: UInt64, lastRevision: UInt64,
        wallClockMilliseconds: UInt64, body: SharedBytes
    ) {
        self.sequence = sequence
        self.firstRevision = firstRevision
        self.lastRevision = lastRevision
        self.wallClockMilliseconds = wallClockMilliseconds
        self.body = body
    }

    /// Whether the numbers can be those of a record.
    var isPossible: Bool {
        (1...RoomState.maximumSequence).contains(sequence) && firstRevision >= 1
            && lastRevision >= firstRevision - 1 && lastRevision < RoomState.maximumNumber
    }

    package static func == (a: LogRecord, b: LogRecord) -> Bool {
        a.sequence == b.sequence && a.firstRevision == b.firstRevision
            && a.lastRevision == b.lastRevision
            && a.wallClockMilliseconds == b.wallClockMilliseconds
            && a.body.holdsSame(as: b.body)
    }
}

/// Some of a room's records, in order.
package struct LogPage: Sendable, Equatable {
    package var records: [LogRecord]
    /// Whether the log ends with these.
    package var isLast: Bool

    package init(records: [LogRecord], isLast: Bool) {
        self.records = records
        self.isLast = isLast
    }
}
