import SyncCounts
import Testing

@Suite("Counts")
struct CountTests {
    @Test("a row has a number for each value of its label")
    func row() {
        let row = CountRow(3)
        row.add(at: 0)
        row.add(5, at: 2)
        row.add(-2, at: 2)
        row.raise(1, to: 7)
        row.raise(1, to: 4)
        #expect(row.values == [1, 7, 3])
    }

    @Test("a bound belongs to the range below it")
    func histogram() {
        let histogram = Histogram([10, 100])
        for measure in [0, 10, 11, 100, 101, 5000] { histogram.observe(measure) }
        var reading = histogram.reading
        #expect(reading == HistogramReading(bounds: [10, 100], counts: [2, 2, 2], sum: 5222))
        reading += histogram.reading
        #expect(reading == HistogramReading(bounds: [10, 100], counts: [4, 4, 4], sum: 10_444))
    }

    @Test("bounds ascend")
    func bounds() {
        for bounds in [HistogramBounds.times, HistogramBounds.sizes] {
            #expect(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}
