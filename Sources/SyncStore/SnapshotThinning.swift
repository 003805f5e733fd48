/// Which snapshots of a room are kept: few in all, dense where it is recent.
///
/// Reading revision n of the past costs replaying the records from the nearest older snapshot. With
/// gaps that grow with their age, as many snapshots as bits in the log's length keep that cost
/// within a fixed share of the way back to n.
///
/// The newest two always stay, and so does the one the log begins after.
package enum SnapshotThinning {
    /// How many snapshots a room has at most.
    package static let maximumCount = 16

    /// The snapshot to remove next, or `nil` if there are few enough: the one that leaves the
    /// smallest gap in relation to how long ago it is.
    ///
    /// - Parameters:
    ///   - sequences: where the snapshots are, ascending.
    ///   - firstSequence: the first record kept, 1 or more.
    package static func surplus(_ sequences: [UInt64], firstSequence: UInt64) -> UInt64? {
        guard sequences.count > maximumCount, let newest = sequences.last else { return nil }
        var best: (sequence: UInt64, share: Double)?
        for index in 0..<(sequences.count - 2) where sequences[index] >= firstSequence {
            let before = index > 0 ? sequences[index - 1] : firstSequence - 1
            let gap = sequences[index + 1] - before
            let share = Double(gap) / Double(newest - before)
            if share < best?.share ?? .infinity { best = (sequences[index], share) }
        }
        return best?.sequence
    }
}
