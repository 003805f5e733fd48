/// The only row of the table `store`.
struct StoreCounts: Equatable {
    /// How many rooms there are.
    var rooms: UInt64 = 0
    /// How many commits there were that are no appends.
    var otherCommits: UInt64 = 0

    var checksum: UInt32 {
        var checksum = Checksum(of: "store", room: "")
        checksum.add(rooms)
        checksum.add(otherCommits)
        return checksum.value
    }
}
