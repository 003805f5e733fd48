import SyncModel

/// Items in columns, each below the last item of its column: a waterfall.
///
/// It cuts each chunk of sizes into short runs and caches the column lengths before each run.
/// Places inside a run are computed on request. An edit invalidates the cached lengths after its
/// chunk. They are computed again only as far as a request needs them: from cached pixel heights if
/// all lengths are whole pixels, else from the sizes.
///
/// It stores at most as many columns as the items can reach. n items use at most n columns: the
/// first ones, or the last ones from right to left.
///
/// # Performance
/// A place is O(log n) plus one run, where the column lengths are known. An item is placed in O(1)
/// if there are few columns or they are filled in turn, else in O(log c) for c columns. The cache
/// uses 8 bytes an item; with more than 32 columns, at most 32 bytes.
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
        /// The number of pixels in a point; heights are rounded down to whole pixels.
        package var pixelScale = 1.0

        package init() {}

        @inline(__always)
        fileprivate func height(of size: ListSize) -> Double {
            if sizing == .absolute { return size.height }
            guard size.width > 0, size.height > 0 else { return 0 }
            return ColumnsBody.floor(size.height * columnWidth / size.width, pixelScale)
        }

        /// `nil` unless every item goes to the shortest of a few columns, and lengths are whole
        /// pixels.
        fileprivate var heights: PixelHeights? {
            guard sizing == .proportional, direction == .shortestFirst,
                columns <= PixelColumns.mostColumns
            else { return nil }
            return PixelHeights(
                columnWidth: columnWidth, spacing: spacing, pixelScale: pixelScale)
        }
    }

    private let sizes: SizeList
    private let metrics: Metrics
    private let work: LayoutWork
    /// The number of stored columns. Columns that are filled in turn are stored in that order, so
    /// from right to left the first stored column is the rightmost.
    private let storedColumns: Int
    // Swift does not check these for exclusive access, which takes time in each question. No two
    // accesses overlap.
    /// Where the next item of each column would go: before each run that was ever known, and after
    /// the last one.
    @exclusivity(unchecked) private var tops: [Double]
    @exclusivity(unchecked) private var heights: PixelHeights?
    /// The number of runs before which the columns are known.
    @exclusivity(unchecked) private var known = 0

    /// The number of items in a run.
    private let runLength: Int
    /// The number of runs of each chunk; the last ones may be shorter, or empty.
    private let runsPerChunk: Int

    #if DEBUG
        // Lets short random tests cross many runs.
        private static let shortRun = 2
    #else
        private static let shortRun = 32
    #endif
    /// With more columns than this, runs are longer: that limits the memory of the cache.
    private static let fewColumns = 32

    private var runCount: Int { runsPerChunk * sizes.chunks.count }
    package init(_ sizes: SizeList, _ metrics: Metrics, work: LayoutWork = LayoutWork()) {
        self.sizes = sizes
        self.metrics = metrics
        self.work = work
        storedColumns = min(metrics.columns, ColumnsBody.columns(forItems: sizes.count))
        runLength =
            metrics.columns <= ColumnsBody.fewColumns
            ? ColumnsBody.shortRun : SizeList.chunkCapacity
        runsPerChunk = (SizeList.chunkCapacity + runLength - 1) / runLength
        tops = Array(repeating: 0, count: storedColumns)
        heights = metrics.heights
        invalidateAll()
    }

    /// The number of columns to store for `count` items, rounded up so that some items can be
    /// added.
    private static func columns(forItems count: Int) -> Int {
        var columns = fewestColumns
        while columns < count, columns < WaterfallLayout.columnLimit { columns *= 2 }
        return columns
    }

    #if DEBUG
        // Lets short random tests exceed the number of items for which columns are stored.
        private static let fewestColumns = 1
    #else
        private static let fewestColumns = 4
    #endif

    /// The size once all columns are known, for the current sizes.
    package var byteCount: Int {
        ColumnsBody.bytesOfNone + MemoryLayout<Double>.stride * storedColumns * (runCount + 1)
            + (heights == nil ? 0 : MemoryLayout<Int32>.stride * sizes.count)
    }

    private static let bytesOfNone = 320

    private func invalidateAll() {
        known = 0
        heights?.invalidateAll(chunks: sizes.chunks.count)
    }

    /// Invalidates the columns after a chunk's start.
    private func invalidate(from chunk: Int) {
        known = min(known, runsPerChunk * chunk)
    }

    package func follow(_ change: SizeList.Change) -> Bool {
        heights?.follow(change)
        switch change {
        case .count: return false
        case .expanded: invalidateAll()
        case .changed(let chunk), .split(let chunk): invalidate(from: chunk)
        case .removed(let chunk):
            invalidate(from: max(chunk - 1, 0))
            let most = storedColumns * (runCount + 1)
            if tops.count > 2 * most + 64 { tops = Array(tops[..<most]) }
        }
        return sizes.count <= storedColumns || storedColumns == metrics.columns
    }

    // MARK: Columns

    /// Goes through a run from the column lengths before it, and calls `visit` with each item's
    /// place.
    @inline(__always)
    private func go(
        through run: Int, _ tops: UnsafeMutableBufferPointer<Double>,
        _ visit: (Int, Int, Double, Double) -> Bool
    ) {
        guard metrics.direction == .shortestFirst, tops.count > ShortestColumn.fewColumns else {
            return go(through: run, tops, nil, visit)
        }
        let capacity = ShortestColumn.capacity(columns: tops.count)
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: capacity) { winners in
            go(through: run, tops, ShortestColumn(tops, winners), visit)
        }
    }

    @inline(__always)
    private func go(
        through run: Int, _ tops: UnsafeMutableBufferPointer<Double>, _ search: ShortestColumn?,
        _ visit: (Int, Int, Double, Double) -> Bool
    ) {
        let metrics = metrics
        let columns = metrics.columns
        let (chunk, place) = run.quotientAndRemainder(dividingBy: runsPerChunk)
        let runLength = runLength
        let first = sizes.starts[chunk]
        sizes.chunks[chunk].sizes.withUnsafeBufferPointer { sizes in
            let low = min(place * runLength, sizes.count)
            for offset in low..<min(low + runLength, sizes.count) {
                let item = first + offset
                let column =
                    switch metrics.direction {
                    case .leftToRight, .rightToLeft: item % columns
                    case .shortestFirst: search?.index ?? ColumnsBody.shortest(tops)
                    }
                let top = tops[column]
                let height = metrics.height(of: sizes[offset])
                tops[column] = top + height + metrics.spacing
                search?.didGrow(column)
                let place = metrics.direction == .rightToLeft ? columns - 1 - column : column
                if !visit(item, place, top, height) { return }
            }
        }
    }

    /// The column that is shortest; the leftmost of several.
    @inline(__always)
    private static func shortest(_ tops: UnsafeMutableBufferPointer<Double>) -> Int {
        var shortest = 0
        var top = tops[0]
        for other in 1..<max(tops.count, 1) {
            // Without a branch: the processor can't predict which column is shorter.
            let isShorter = tops[other] < top
            shortest = isShorter ? other : shortest
            top = isShorter ? tops[other] : top
        }
        return shortest
    }

    /// Rounds a length that is not negative down to whole pixels. An infinite length becomes 0.
    @inline(__always)
    static func floor(_ length: Double, _ pixelScale: Double) -> Double {
        let pixels = length * pixelScale
        // 2^52. A double this large has no fraction, and adding it to a smaller one rounds the
        // fraction away.
        let whole = 4_503_599_627_370_496.0
        guard pixels < whole else { return length < .infinity ? length : 0 }
        let nearest = pixels + whole - whole
        let cut = nearest > pixels ? nearest - 1 : nearest
        return pixelScale == 1 ? cut : cut / pixelScale
    }

    /// Computes the columns before a run.
    private func computeTops(before run: Int) {
        guard known < run else { return }
        let needed = storedColumns * (run + 1)
        if tops.count < needed {
            tops.append(contentsOf: repeatElement(0, count: needed - tops.count))
        }
        while known < run {
            let chunk = known / runsPerChunk
            let last = min(run, runsPerChunk * (chunk + 1))
            if !computeTopsInPixels(chunk, before: last) { computeTopsInPoints(before: last) }
        }
    }

    /// The number of steps to go through some runs.
    private func steps(ofRuns runs: Int) -> Int {
        let stepsPerItem =
            storedColumns <= PixelColumns.mostColumns
            ? 1 : storedColumns <= ShortestColumn.fewColumns ? 2 : 4
        // Each run copies all columns, and the tournament plays once for each column.
        return runs * (stepsPerItem * min(runLength, sizes.count) + storedColumns / 4)
    }

    private func computeTopsInPoints(before run: Int) {
        work.steps += steps(ofRuns: run - known)
        let columns = storedColumns
        tops.withUnsafeMutableBufferPointer { tops in
            while known < run {
                let from = columns * known
                let behind = UnsafeMutableBufferPointer(
                    rebasing: tops[from + columns..<from + 2 * columns])
                _ = behind.update(from: tops[from..<from + columns])
                go(through: known, behind) { _, _, _, _ in true }
                known += 1
            }
        }
    }

    /// Computes the columns before a run in this chunk or right after it, starting inside the
    /// chunk.
    ///
    /// - Returns: whether it could.
    private func computeTopsInPixels(_ chunk: Int, before run: Int) -> Bool {
        guard let some = heights?.heights(ofChunk: chunk, in: sizes),
            some.count == sizes.chunks[chunk].sizes.count, let pixelScale = heights?.pixelScale
        else { return false }
        let columns = storedColumns
        return tops.withUnsafeMutableBufferPointer { tops in
            let before = tops[columns * known..<columns * (known + 1)]
            guard var pixels = PixelColumns(before, pixelScale: pixelScale) else { return false }
            // These are sums of integers: four items count as one step.
            work.steps += (run - known) * (1 + min(runLength, some.count) / 4)
            some.withUnsafeBufferPointer { heights in
                var item = runLength * (known - runsPerChunk * chunk)
                while known < run {
                    let end = min(item + runLength, heights.count)
                    while item < end {
                        pixels.put(heights[item])
                        item += 1
                    }
                    known += 1
                    pixels.write(to: tops[columns * known..<columns * (known + 1)])
                }
            }
            return true
        }
    }

    private func tops(before run: Int) -> ArraySlice<Double> {
        tops[storedColumns * run..<storedColumns * (run + 1)]
    }

    /// Where the longest column before a run ends.
    private func longest(before run: Int) -> Double {
        let first = storedColumns * run
        var longest = tops[first]
        for index in first + 1..<first + max(storedColumns, 1) {
            longest = tops[index] > longest ? tops[index] : longest
        }
        return longest
    }

    /// Where the shortest column before a run ends.
    private func shortest(before run: Int) -> Double {
        let first = storedColumns * run
        var shortest = tops[first]
        for index in first + 1..<first + max(storedColumns, 1) {
            shortest = tops[index] < shortest ? tops[index] : shortest
        }
        return shortest
    }

    package var length: Double {
        guard sizes.count > 0 else { return 0 }
        computeTops(before: runCount)
        // A column without items is no longer than any that has some.
        return max(0, longest(before: runCount) - metrics.spacing)
    }

    package func reaches(_ main: Double) -> Bool {
        // Columns only grow.
        while known < runCount, longest(before: known) - metrics.spacing < main {
            computeTops(before: known + 1)
        }
        return known < runCount || length >= main
    }

    // MARK: Places

    package func place(of item: Int) -> AxisRect {
        let chunk = sizes.chunk(of: item)
        let offset = item - sizes.starts[chunk]
        let run = chunk * runsPerChunk + offset / runLength
        computeTops(before: run)
        var place = AxisRect(main: 0, cross: 0, mainLength: 0, crossLength: 0)
        visitRun(run) { index, found in
            place = found
            return index < item
        }
        return place
    }

    package func visit(_ area: AxisRect, _ visit: (Int, AxisRect) -> Bool) {
        let runs = runCount
        guard runs > 0 else { return }
        // No item of a run begins above the shortest column before the run.
        while known < runs, shortest(before: known) <= area.mainEnd {
            computeTops(before: known + 1)
        }
        var low = 0
        var high = known
        // Find the first run after which some column reaches into the area.
        while low < high {
            let middle = (low + high) / 2
            if longest(before: middle + 1) >= area.main { high = middle } else { low = middle + 1 }
        }
        // The shortest column only grows.
        let isOrdered = metrics.direction == .shortestFirst && metrics.spacing >= 0
        var goesOn = true
        for run in low..<max(low, known) {
            guard goesOn, shortest(before: run) <= area.mainEnd else { return }
            // If the column lengths differ much, a run may have no item in the area.
            let columns = zip(tops(before: run), tops(before: run + 1))
            guard columns.contains(where: { $0 <= area.mainEnd && $1 >= area.main }) else {
                continue
            }
            visitRun(run) { index, place in
                if place.main <= area.mainEnd, place.mainEnd >= area.main {
                    goesOn = visit(index, place)
                } else if isOrdered, place.main > area.mainEnd {
                    goesOn = false
                }
                return goesOn
            }
        }
    }

    @inline(__always)
    private func visitRun(_ run: Int, _ visit: (Int, AxisRect) -> Bool) {
        work.looks += steps(ofRuns: 1)
        withUnsafeTemporaryAllocation(of: Double.self, capacity: storedColumns) { columns in
            _ = columns.initialize(from: tops(before: run))
            let pitch = metrics.columnWidth + metrics.columnSpacing
            go(through: run, columns) { item, column, top, height in
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
