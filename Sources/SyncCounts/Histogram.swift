/// How often a measure was in each of some ranges. One thread at a time adds to it, and any thread
/// reads it.
///
/// # Performance
/// An observation takes a comparison for each bound up to the measure. So frequent measures belong
/// into the first ranges.
package struct Histogram: ~Copyable, @unchecked Sendable {
    // Sendable, since the bounds never change.
    @usableFromInline let bounds: UnsafeMutableBufferPointer<Int>
    @usableFromInline let counts: CountRow
    @usableFromInline let sum = Count()

    /// - Parameter bounds: the upper bounds of the ranges, each included, in ascending order. A
    ///   last range has what is above all of them.
    package init(_ bounds: [Int]) {
        self.bounds = .allocate(capacity: bounds.count)
        _ = self.bounds.initialize(from: bounds)
        counts = CountRow(bounds.count + 1)
    }

    deinit {
        bounds.deallocate()
    }

    /// Adds a measure.
    @inlinable
    @inline(__always)
    package func observe(_ measure: Int) {
        var range = 0
        while range < bounds.count, measure > bounds[range] { range += 1 }
        counts.add(at: range)
        sum.add(measure)
    }

    /// What was added so far. Measures that are added meanwhile may be counted only in part.
    package var reading: HistogramReading {
        HistogramReading(bounds: Array(bounds), counts: counts.values, sum: sum.value)
    }
}

/// What a ``Histogram`` had at some time.
package struct HistogramReading: Sendable, Equatable {
    /// The upper bounds of all ranges but the last.
    package var bounds: [Int]
    /// How many measures were in each range.
    package var counts: [Int]
    /// The sum of all measures.
    package var sum: Int

    package init(bounds: [Int], counts: [Int], sum: Int = 0) {
        self.bounds = bounds
        self.counts = counts
        self.sum = sum
    }

    /// Adds measures in the same ranges.
    package static func += (left: inout HistogramReading, right: HistogramReading) {
        for index in left.counts.indices where index < right.counts.count {
            left.counts[index] += right.counts[index]
        }
        left.sum += right.sum
    }
}

/// The bounds of all histograms.
package enum HistogramBounds {
    /// Of times, in microseconds: 100 µs to 10 s, three in each decade.
    package static let times = [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 5_000_000, 10_000_000,
    ]

    /// Of sizes, in bytes: 64 bytes to 16 MiB, each four times the one before.
    package static let sizes = (3...12).map { 1 << (2 * $0) }
}
