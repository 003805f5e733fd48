package import SyncModel

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

extension LogRecord {
    /// Whether the numbers can be those of a record.
    var isPossible: Bool {
        (1...LogState.maximumSequence).contains(sequence) && firstRevision >= 1
            && lastRevision >= firstRevision - 1 && lastRevision < LogState.maximumNumber
    }
}
