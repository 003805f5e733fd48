import SyncStore
import Testing

@Suite struct SnapshotThinningTests {
    /// Adds a snapshot and removes the surplus ones.
    private func add(_ sequence: UInt64, to kept: inout [UInt64], firstSequence: UInt64) {
        kept.append(sequence)
        while let surplus = SnapshotThinning.surplus(kept, firstSequence: firstSequence) {
            kept.removeAll { $0 == surplus }
        }
    }

    @Test func keepsFewWithGapsThatGrowWithAge() {
        var kept: [UInt64] = []
        for step in 1...20_000 as ClosedRange<UInt64> {
            let newest = step * 100
            add(newest, to: &kept, firstSequence: 1)
            #expect(kept.count <= SnapshotThinning.maximumCount)
            #expect(kept.suffix(2) == (step == 1 ? [newest] : [newest - 100, newest]))
            // A replay to any point is shorter than the way back to its snapshot.
            for (older, newer) in zip([0] + kept, kept) where newest - older > 200 {
                #expect(Double(newer - older) < 0.9 * Double(newest - older))
            }
        }
        #expect(kept.count == SnapshotThinning.maximumCount)
    }

    @Test func keepsTheOneTheLogBeginsAfter() {
        var kept: [UInt64] = [5000]
        for sequence in 5001...9000 as ClosedRange<UInt64> {
            add(sequence, to: &kept, firstSequence: 5001)
            #expect(kept.first == 5000)
        }
    }
}
