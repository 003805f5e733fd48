/// A snapshot's row: everything but the body.
struct SnapshotHeader: Equatable {
    var sequence: UInt64
    var revision: UInt64
    var trustedMilliseconds: UInt64
    var size: UInt64
    var storedBytes: UInt64
    var bodyChecksum: UInt32

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
