/// A snapshot's row: everything but the body.
package struct SnapshotHeader: Equatable {
    package var sequence: UInt64
    package var revision: UInt64
    package var trustedMilliseconds: UInt64
    package var size: UInt64
    package var storedBytes: UInt64
    package var bodyChecksum: UInt32

    package init(
        sequence: UInt64, revision: UInt64, trustedMilliseconds: UInt64, size: UInt64,
        storedBytes: UInt64, bodyChecksum: UInt32
    ) {
        self.sequence = sequence
        self.revision = revision
        self.trustedMilliseconds = trustedMilliseconds
        self.size = size
        self.storedBytes = storedBytes
        self.bodyChecksum = bodyChecksum
    }

    /// Whether the numbers can be those of a snapshot.
    var isPossible: Bool {
        (1...LogState.maximumSequence).contains(sequence) && revision < LogState.maximumNumber
            && size <= UInt64(Int.max) && storedBytes <= LogState.maximumBytes
    }

    /// Adds its bytes to a sum. The sum never exceeds what a room can have, whatever damaged rows
    /// say.
    func addBytes(to sum: UInt64) -> UInt64 {
        min(sum + storedBytes, LogState.maximumBytes)
    }
}
