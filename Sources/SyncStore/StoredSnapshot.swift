package import SyncBytes

/// A room after some record of its log.
package struct StoredSnapshot: Sendable, Equatable {
    /// The last record it covers.
    package var sequence: UInt64
    /// The room's revision after that record.
    package var revision: UInt64
    /// When it was taken, in milliseconds since 1970.
    package var wallClockMilliseconds: UInt64
    /// The room's state. Opaque to the store, which compresses it.
    package var body: SharedBytes

    package init(
        sequence: UInt64, revision: UInt64, wallClockMilliseconds: UInt64, body: SharedBytes
    ) {
        self.sequence = sequence
        self.revision = revision
        self.wallClockMilliseconds = wallClockMilliseconds
        self.body = body
    }

    package static func == (a: StoredSnapshot, b: StoredSnapshot) -> Bool {
        a.sequence == b.sequence && a.revision == b.revision
            && a.wallClockMilliseconds == b.wallClockMilliseconds
            && a.body.hasSameBytes(as: b.body)
    }
}
