import SyncIO

/// The only row of the table `store`.
struct StoreCounts: Equatable {
    /// How many rooms there are.
    var rooms: UInt64 = 0
    /// How many commits there were that are no appends.
    var otherCommits: UInt64 = 0
    /// The time that was noted last.
    var time: TrustedTime?

    var checksum: UInt32 {
        var checksum = Checksum(of: "store", room: nil)
        checksum.add(rooms)
        checksum.add(otherCommits)
        if let time {
            checksum.add(time.milliseconds)
            checksum.add(time.reading.steadyMilliseconds)
            checksum.add(time.reading.wallClockMilliseconds)
        }
        return checksum.value
    }
}
