/// Decides which snapshots of a room are kept: few in all, and most of them recent.
///
/// To read a past revision, the records after the nearest older snapshot are replayed. The gaps
/// between snapshots grow with their age. So with as many snapshots as the log's length has bits, a
/// replay is at most a fixed share of the way back to the revision.
///
/// The newest two always stay, and so does the one the log begins after.
package enum SnapshotThinning {
    /// How many snapshots a room has at most.
    package static let maximumCount = 16

    /// The snapshot to remove next, or `nil` if there are few enough: the one whose removal leaves
    /// the smallest gap in relation to its age.
    ///
    /// - Parameters:
    ///   - sequences: the snapshots' positions, ascending.
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
