import SyncEngine

/// Items in columns, each below what its column has: a waterfall.
///
/// Of each chunk of sizes it keeps how long the columns are before it; what is between is computed when
/// it is asked for. An edit makes all behind its chunk unknown, and that is computed again only as far as
/// someone asks.
///
/// # Performance
/// A place is O(log n) and a chunk's items, where the columns are known so far.
package final class ColumnsBody: SectionBody {
    package struct Metrics: Sendable, Hashable {
        package var columns = 1
        package var columnWidth = 0.0
        /// Where the first column begins across.
        package var start = 0.0
        package var columnSpacing = 0.0
        package var spacing = 0.0
        package var sizing = LayoutOptions.Sizing.proportional
        package var direction = LayoutOptions.RenderDirection.shortestFirst
        /// Heights are cut to pixels, of which a point has so many.
        package var pixelScale = 1.0

        package init() {}

        @inline(__always)
        fileprivate func height(of size: Size) -> Double {
            if sizing == .absolute { return size.height }
            guard size.width > 0, size.height > 0 else { return 0 }
            return ColumnsBody.floor(size.height * columnWidth / size.width, pixelScale)
        }
    }

    private let sizes: SizeList
    private let metrics: Metrics
    /// For each chunk, and behind the last one, where the next item of each column would go.
    private var tops: [Double]
    /// How many chunks the columns are known before.
    private var known = 0

    package init(_ sizes: SizeList, _ metrics: Metrics) {
        self.sizes = sizes
        self.metrics = metrics
        tops = Array(repeating: 0, count: metrics.columns * (sizes.chunks.count + 1))
    }

    package func follow(_ change: SizeList.Change) -> Bool {
        let columns = metrics.columns
        switch change {
        case .count: return false
        case .expanded:
            tops = Array(repeating: 0, count: columns * (sizes.chunks.count + 1))
            known = 0
        case .changed(let chunk): known = min(known, chunk)
        case .split(let chunk):
            tops.insert(contentsOf: repeatElement(0, count: columns), at: columns * (chunk + 1))
            known = min(known, chunk)
        case .removed(let chunk):
            tops.removeSubrange(columns * chunk..<columns * (chunk + 1))
            known = min(known, max(chunk - 1, 0))
            // Nothing is before the chunk that is the first one now.
            if chunk == 0 { for column in 0..<columns { tops[column] = 0 } }
        }
        return true
    }

    // MARK: Columns

    /// Goes through a chunk from what is known before it, and tells each item's place.
    @inline(__always)
    private func run(
        through chunk: Int, _ tops: UnsafeMutableBufferPointer<Double>,
        _ visit: (Int, Int, Double, Double) -> Bool
    ) {
        let metrics = metrics
        let columns = tops.count
        let first = sizes.starts[chunk]
        sizes.chunks[chunk].sizes.withUnsafeBufferPointer { sizes in
            for offset in 0..<sizes.count {
                let item = first + offset
                let column =
                    switch metrics.direction {
                    case .leftToRight: item % columns
                    case .rightToLeft: columns - 1 - item % columns
                    case .shortestFirst: ColumnsBody.shortest(tops)
                    }
                let top = tops[column]
                let height = metrics.height(of: sizes[offset])
                tops[column] = top + height + metrics.spacing
                if !visit(item, column, top, height) { return }
            }
        }
    }

    /// The column that is shortest; the leftmost of several.
    @inline(__always)
    private static func shortest(_ tops: UnsafeMutableBufferPointer<Double>) -> Int {
        var shortest = 0
        var top = tops[0]
        for other in 1..<max(tops.count, 1) {
            // Put so that it is no branch: which column is shorter nobody can guess.
            let isShorter = tops[other] < top
            shortest = isShorter ? other : shortest
            top = isShorter ? tops[other] : top
        }
        return shortest
    }

    /// Cuts a length that is not negative to pixels; what is infinite has no length.
    @inline(__always)
    static func floor(_ length: Double, _ pixelScale: Double) -> Double {
        let pixels = length * pixelScale
        // From here on there are no fractions to cut; and below, adding it leaves no room for any.
        let whole = 4_503_599_627_370_496.0
        guard pixels < whole else { return length < .infinity ? length : 0 }
        let nearest = pixels + whole - whole
        let cut = nearest > pixels ? nearest - 1 : nearest
        return pixelScale == 1 ? cut : cut / pixelScale
    }

    /// Learns the columns before the next chunk.
    private func learn() {
        let columns = metrics.columns
        let from = columns * known
        for column in 0..<columns { tops[from + columns + column] = tops[from + column] }
        tops.withUnsafeMutableBufferPointer { tops in
            let behind = UnsafeMutableBufferPointer(
                rebasing: tops[from + columns..<from + 2 * columns])
            run(through: known, behind) { _, _, _, _ in true }
        }
        known += 1
    }

    private func learn(before chunk: Int) {
        while known < chunk { learn() }
    }

    private func tops(before chunk: Int) -> ArraySlice<Double> {
        tops[metrics.columns * chunk..<metrics.columns * (chunk + 1)]
    }

    package var length: Double {
        guard sizes.count > 0 else { return 0 }
        learn(before: sizes.chunks.count)
        // A column without items is no longer than any that has some.
        return max(0, (tops(before: sizes.chunks.count).max() ?? 0) - metrics.spacing)
    }

    package func reaches(_ main: Double) -> Bool {
        let chunks = sizes.chunks.count
        // Columns only grow.
        while known < chunks, (tops(before: known).max() ?? 0) - metrics.spacing < main { learn() }
        return known < chunks || length >= main
    }

    // MARK: Places

    package func place(of item: Int) -> AxisRect {
        let chunk = sizes.chunk(of: item)
        learn(before: chunk)
        var place = AxisRect(main: 0, cross: 0, mainLength: 0, crossLength: 0)
        visitChunk(chunk) { index, found in
            place = found
            return index < item
        }
        return place
    }

    package func visit(_ area: AxisRect, _ visit: (Int, AxisRect) -> Bool) {
        let chunks = sizes.chunks.count
        guard chunks > 0 else { return }
        // Nothing of a chunk is above the shortest column before it.
        while known < chunks, (tops(before: known).min() ?? 0) <= area.mainEnd { learn() }
        var low = 0
        var high = known
        // The first chunk behind which some column reaches into the area.
        while low < high {
            let middle = (low + high) / 2
            if (tops(before: middle + 1).max() ?? 0) >= area.main {
                high = middle
            } else {
                low = middle + 1
            }
        }
        // The shortest column only grows.
        let isOrdered = metrics.direction == .shortestFirst && metrics.spacing >= 0
        var goesOn = true
        for chunk in low..<max(low, known) where goesOn {
            if (tops(before: chunk).min() ?? 0) > area.mainEnd { return }
            // Where columns are of very different lengths, a chunk may have nothing in the area.
            let columns = zip(tops(before: chunk), tops(before: chunk + 1))
            guard columns.contains(where: { $0 <= area.mainEnd && $1 >= area.main }) else {
                continue
            }
            visitChunk(chunk) { index, place in
                if place.main <= area.mainEnd, place.mainEnd >= area.main {
                    goesOn = visit(index, place)
                } else if isOrdered, place.main > area.mainEnd {
                    goesOn = false
                }
                return goesOn
            }
        }
    }

    private func visitChunk(_ chunk: Int, _ visit: (Int, AxisRect) -> Bool) {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: metrics.columns) { columns in
            _ = columns.initialize(from: tops(before: chunk))
            let pitch = metrics.columnWidth + metrics.columnSpacing
            run(through: chunk, columns) { item, column, top, height in
                let cross = metrics.start + Double(column) * pitch
                return visit(
                    item,
                    AxisRect(
                        main: top, cross: cross, mainLength: height,
                        crossLength: metrics.columnWidth))
            }
        }
    }
}
