import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// Compares columns that are summed in registers with the same summed one by one.
@Suite("Columns in whole pixels")
struct PixelColumnsTests {
    private func metrics(_ numbers: inout RandomNumbers) -> ColumnsBody.Metrics {
        var metrics = ColumnsBody.Metrics()
        metrics.columns = 1 + numbers.below(5)
        // With some of these values, columns can't be summed in pixels.
        metrics.pixelScale = numbers.pick([1, 1, 2, 3, 4, 0.5]) ?? 1
        metrics.spacing = numbers.pick([0, 8, 0.5, 1.0 / 3, 0x1p30]) ?? 0
        metrics.columnWidth = Double(20 + numbers.below(300)) / metrics.pixelScale
        metrics.columnSpacing = 4
        return metrics
    }

    /// Sizes of few kinds, so that columns are often equally long. Some have no length, some are
    /// extremely high.
    private func size(_ numbers: inout RandomNumbers) -> ListSize {
        if numbers.chance(2) {
            return ListSize(width: 1, height: numbers.pick([1e8, 1e12, 1e300]) ?? 0)
        }
        if numbers.chance(5) { return ListSize(width: 0, height: 30) }
        return ListSize(width: Double(1 + numbers.below(4)), height: Double(numbers.below(4)))
    }

    /// Each item's column and top, and the length of the longest column.
    private func plainly(
        _ sizes: [ListSize], _ metrics: ColumnsBody.Metrics
    ) -> (places: [(column: Int, top: Double)], length: Double) {
        let scale = metrics.pixelScale
        var columns = Array(repeating: 0.0, count: metrics.columns)
        let places = sizes.map { size in
            var pixels = 0.0
            if size.width > 0, size.height > 0 {
                pixels = size.height * metrics.columnWidth / size.width * scale
                // Larger numbers are always whole.
                if pixels < 0x1p52 { pixels = (pixels + 1e-6).rounded(.down) }
            }
            let least = columns.min() ?? 0
            let shortest = columns.firstIndex { $0 <= least + 1e-6 } ?? 0
            defer { columns[shortest] += pixels + metrics.spacing * scale }
            return (shortest, columns[shortest] / scale)
        }
        let length = (columns.max() ?? 0) / scale - metrics.spacing
        return (places, sizes.isEmpty ? 0 : max(0, length))
    }

    /// Whether they differ by nothing but rounding errors.
    private func isSame(_ first: Double, _ second: Double) -> Bool {
        abs(first - second) <= 1e-9 + 1e-12 * second
    }

    @Test("they equal plain sums, whatever is asked first", arguments: UInt64(1)...400)
    func exact(seed: UInt64) {
        var numbers = RandomNumbers(seed: seed, hostile: false)
        let metrics = metrics(&numbers)
        let sizes = (0..<numbers.below(40)).map { _ in size(&numbers) }
        let expected = plainly(sizes, metrics)
        let pitch = metrics.columnWidth + metrics.columnSpacing
        let body = ColumnsBody(SizeList(sizes, absent: ListSize(width: 0, height: 0)), metrics)
        for _ in sizes.indices {
            let item = numbers.below(sizes.count)
            let place = body.place(of: item)
            #expect(isSame(place.main, expected.places[item].top))
            #expect(place.cross == Double(expected.places[item].column) * pitch)
        }
        #expect(isSame(body.length, expected.length))
    }
}
