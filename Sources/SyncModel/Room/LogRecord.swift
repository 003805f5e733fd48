package import SyncBytes

/// What a room committed in one tick, as its log keeps it.
package struct LogRecord: Sendable, Equatable {
    /// The place in the room's log, from 1.
    package var sequence: UInt64
    /// The revision after the last one of the record before.
    package var firstRevision: Revision
    /// The last revision in the record; `firstRevision - 1` if it commits none.
    package var lastRevision: Revision
    /// When it was committed, in milliseconds since 1970.
    package var wallClockMilliseconds: UInt64
    /// The room's entries, with their authors. Opaque to the store.
    package var body: SharedBytes

    package init(
        sequence: UInt64, firstRevision: Revision, lastRevision: Revision,
        wallClockMilliseconds: UInt64, body: SharedBytes
    ) {
        self.sequence = sequence
        self.firstRevision = firstRevision
        self.lastRevision = lastRevision
        self.wallClockMilliseconds = wallClockMilliseconds
        self.body = body
    }

    package static func == (a: LogRecord, b: LogRecord) -> Bool {
        a.sequence == b.sequence && a.firstRevision == b.firstRevision
            && a.lastRevision == b.lastRevision
            && a.wallClockMilliseconds == b.wallClockMilliseconds
            && a.body.hasSameBytes(as: b.body)
    }
}
