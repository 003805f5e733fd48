import LayoutTwin
import SeededRandom
import SyncLayout
import SyncModel
import Testing

/// Compares columns that are summed in pixels with the same in points, to the last bit.
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
        var columns = Array(repeating: 0.0, count: metrics.columns)
        let places = sizes.map { size in
            var height = 0.0
            if size.width > 0, size.height > 0 {
                height = size.height * metrics.columnWidth / size.width
                let pixels = height * metrics.pixelScale
                // Larger numbers are always whole.
                if pixels < 0x1p52 { height = pixels.rounded(.down) / metrics.pixelScale }
            }
            var shortest = 0
            for column in columns.indices where columns[column] < columns[shortest] {
                shortest = column
            }
            defer { columns[shortest] = columns[shortest] + height + metrics.spacing }
            return (shortest, columns[shortest])
        }
        return (places, sizes.isEmpty ? 0 : max(0, (columns.max() ?? 0) - metrics.spacing))
    }

    @Test("they equal columns in points, whatever is asked first", arguments: UInt64(1)...400)
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
            #expect(place.main == expected.places[item].top)
            #expect(place.cross == Double(expected.places[item].column) * pitch)
        }
        #expect(body.length == expected.length)
    }
}
