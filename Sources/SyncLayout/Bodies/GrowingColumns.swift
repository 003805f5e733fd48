/// Columns while items are put into them, in memory of others.
struct GrowingColumns {
    /// Where the next item of each column would go.
    let tops: UnsafeMutableBufferPointer<Double>
    /// The rounding errors of `tops`; empty if all lengths are whole numbers, whose sums have none.
    let rests: UnsafeMutableBufferPointer<Double>

    @inline(__always)
    func grow(_ column: Int, by length: Double) {
        guard !rests.isEmpty else {
            tops[column] += length
            return
        }
        var sum = ExactSum(tops[column], rest: rests[column])
        sum += length
        (tops[column], rests[column]) = sum.parts
    }

    /// The leftmost of the columns that are no longer than the shortest one by more than the
    /// tolerance.
    @inline(__always)
    var shortest: Int {
        // Without branches: the processor can't predict which column is shorter.
        var least = tops[0]
        for other in 1..<max(tops.count, 1) { least = tops[other] < least ? tops[other] : least }
        let limit = least + Double.tolerance
        var shortest = 0
        for other in (0..<tops.count).reversed() {
            shortest = tops[other] <= limit ? other : shortest
        }
        return shortest
    }
}
