package import SyncBytes

/// A room after some record of its log.
package struct StoredSnapshot: Sendable, Equatable {
    /// The last record it covers.
    package var sequence: UInt64
    /// The room's revision after that record.
    package var revision: UInt64
    /// When it was taken, or later: a ``TrustedTime``.
    package var trustedMilliseconds: UInt64
    /// The room's state. Opaque to the store, which compresses it.
    package var body: SharedBytes

    package init(
        sequence: UInt64, revision: UInt64, trustedMilliseconds: UInt64, body: SharedBytes
    ) {
        self.sequence = sequence
        self.revision = revision
        self.trustedMilliseconds = trustedMilliseconds
        self.body = body
    }

    package static func == (a: StoredSnapshot, b: StoredSnapshot) -> Bool {
        a.sequence == b.sequence && a.revision == b.revision
            && a.trustedMilliseconds == b.trustedMilliseconds
            && a.body.hasSameBytes(as: b.body)
    }
}
