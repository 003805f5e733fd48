import SyncModel

/// Items in columns, each below the last item of its column: a waterfall.
///
/// It cuts each chunk of sizes into short runs and caches the column lengths before each run.
/// Places inside a run are computed on request. An edit invalidates the cached lengths after its
/// chunk. They are computed again only as far as a request needs them: from cached pixel heights if
/// all lengths are whole pixels, else from the sizes.
///
/// Along the scroll axis it counts in *units*: pixels if items have their proportions, so that
/// whole pixels add up exactly, else points. Where lengths are not whole, it keeps the rounding
/// errors of the sums, so that these depend neither on their order nor on their number.
///
/// It stores at most as many columns as the items can reach. n items use at most n columns: the
/// first ones, or the last ones from right to left.
///
/// # Performance
/// A place is O(log n) plus one run, where the column lengths are known. An item is placed in O(1)
/// if there are few columns or they are filled in turn, else in O(log c) for c columns. The cache
/// uses 8 bytes an item; with more than 32 columns, at most 32 bytes. If lengths are not whole, it
/// uses twice as many.
package final class ColumnsBody: SectionBody {
    private let sizes: SizeList
    private let metrics: Metrics
    /// The number of units in a point, and the spacing in units.
    private let unitScale: Double
    private let unitSpacing: Double
    private let work: LayoutWork
    /// The number of stored columns. Columns that are filled in turn are stored in that order, so
    /// from right to left the first stored column is the rightmost.
    private let storedColumns: Int
    // Swift does not check these for exclusive access, which takes time in each question. No two
    // accesses overlap.
    /// Where the next item of each column would go, in units: before each run that was ever known,
    /// and after the last one.
    @exclusivity(unchecked) private var tops: [Double]
    /// The rounding errors of ``tops``; empty if all lengths are whole.
    @exclusivity(unchecked) private var rests: [Double]
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
        unitScale = metrics.unitScale
        unitSpacing = metrics.unitSpacing
        self.work = work
        storedColumns = min(metrics.columns, ColumnsBody.columns(forItems: sizes.count))
        runLength =
            metrics.columns <= ColumnsBody.fewColumns
            ? ColumnsBody.shortRun : SizeList.chunkCapacity
        runsPerChunk = (SizeList.chunkCapacity + runLength - 1) / runLength
        tops = Array(repeating: 0, count: storedColumns)
        rests = metrics.isWhole ? [] : tops
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
        ColumnsBody.bytesOfNone
            + MemoryLayout<Double>.stride * storedColumns * (runCount + 1) * (rests.isEmpty ? 1 : 2)
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
            if tops.count > 2 * most + 64 {
                tops = Array(tops[..<most])
                if !rests.isEmpty { rests = Array(rests[..<most]) }
            }
        }
        return sizes.count <= storedColumns || storedColumns == metrics.columns
    }

    // MARK: Columns

    /// Goes through a run from the column lengths before it, and calls `visit` with each item's
    /// place.
    @inline(__always)
    private func go(
        through run: Int, _ growing: GrowingColumns, _ visit: (Int, Int, Double, Double) -> Bool
    ) {
        let tops = growing.tops
        guard metrics.direction == .shortestFirst, tops.count > ShortestColumn.fewColumns else {
            return go(through: run, growing, nil, visit)
        }
        let capacity = ShortestColumn.capacity(columns: tops.count)
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: capacity) { winners in
            go(through: run, growing, ShortestColumn(tops, winners), visit)
        }
    }

    @inline(__always)
    private func go(
        through run: Int, _ growing: GrowingColumns, _ search: ShortestColumn?,
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
                    case .shortestFirst: search?.index ?? growing.shortest
                    }
                let top = growing.tops[column]
                let height = metrics.height(of: sizes[offset])
                growing.grow(column, by: height + unitSpacing)
                search?.didGrow(column)
                let place = metrics.direction == .rightToLeft ? columns - 1 - column : column
                if !visit(item, place, top / unitScale, height / unitScale) { return }
            }
        }
    }

    /// Computes the columns before a run.
    private func computeTops(before run: Int) {
        guard known < run else { return }
        let needed = storedColumns * (run + 1)
        if tops.count < needed {
            let new = repeatElement(0.0, count: needed - tops.count)
            tops.append(contentsOf: new)
            if !rests.isEmpty { rests.append(contentsOf: new) }
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
            rests.withUnsafeMutableBufferPointer { rests in
                while known < run {
                    let from = columns * known
                    let behind = GrowingColumns(
                        tops: ColumnsBody.copy(tops, from, columns),
                        rests: rests.isEmpty ? rests : ColumnsBody.copy(rests, from, columns))
                    go(through: known, behind) { _, _, _, _ in true }
                    known += 1
                }
            }
        }
    }

    /// Copies some numbers behind themselves.
    private static func copy(
        _ numbers: UnsafeMutableBufferPointer<Double>, _ from: Int, _ count: Int
    ) -> UnsafeMutableBufferPointer<Double> {
        let behind = UnsafeMutableBufferPointer(
            rebasing: numbers[from + count..<from + 2 * count])
        _ = behind.update(from: numbers[from..<from + count])
        return behind
    }

    /// Computes the columns before a run in this chunk or right after it, starting inside the
    /// chunk.
    ///
    /// - Returns: whether it could.
    private func computeTopsInPixels(_ chunk: Int, before run: Int) -> Bool {
        guard let some = heights?.heights(ofChunk: chunk, in: sizes),
            some.count == sizes.chunks[chunk].sizes.count, heights != nil
        else { return false }
        let columns = storedColumns
        return tops.withUnsafeMutableBufferPointer { tops in
            let before = tops[columns * known..<columns * (known + 1)]
            guard var pixels = PixelColumns(before) else { return false }
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

    private func columns(before run: Int) -> Range<Int> {
        storedColumns * run..<storedColumns * (run + 1)
    }

    /// Where the next item of the longest column before a run would go, in units.
    private func longest(before run: Int) -> Double {
        let first = storedColumns * run
        var longest = tops[first]
        for index in first + 1..<first + max(storedColumns, 1) {
            longest = tops[index] > longest ? tops[index] : longest
        }
        return longest
    }

    /// Where the next item of the shortest column before a run would go, in units.
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
        return max(0, (longest(before: runCount) - unitSpacing) / unitScale)
    }

    package func reaches(_ main: Double) -> Bool {
        // Columns only grow.
        let end = main * unitScale
        while known < runCount, longest(before: known) - unitSpacing < end {
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
        let (start, end) = (area.main * unitScale, area.mainEnd * unitScale)
        // No item of a run begins above the shortest column before the run.
        while known < runs, shortest(before: known) <= end {
            computeTops(before: known + 1)
        }
        var low = 0
        var high = known
        // Find the first run after which some column reaches into the area.
        while low < high {
            let middle = (low + high) / 2
            if longest(before: middle + 1) >= start { high = middle } else { low = middle + 1 }
        }
        // The shortest column only grows. An item may begin below it by the tolerance.
        let isOrdered = metrics.direction == .shortestFirst && metrics.spacing >= 0
        let last = (end + Double.tolerance) / unitScale
        var goesOn = true
        for run in low..<max(low, known) {
            guard goesOn, shortest(before: run) <= end else { return }
            // If the column lengths differ much, a run may have no item in the area.
            let tops = zip(tops[columns(before: run)], tops[columns(before: run + 1)])
            guard tops.contains(where: { $0 <= end && $1 >= start }) else {
                continue
            }
            visitRun(run) { index, place in
                if place.main <= area.mainEnd, place.mainEnd >= area.main {
                    goesOn = visit(index, place)
                } else if isOrdered, place.main > last {
                    goesOn = false
                }
                return goesOn
            }
        }
    }

    @inline(__always)
    private func visitRun(_ run: Int, _ visit: (Int, AxisRect) -> Bool) {
        work.looks += steps(ofRuns: 1)
        let columns = columns(before: run)
        let restCount = rests.isEmpty ? 0 : storedColumns
        withUnsafeTemporaryAllocation(of: Double.self, capacity: storedColumns + restCount) {
            numbers in
            let growing = GrowingColumns(
                tops: UnsafeMutableBufferPointer(rebasing: numbers[..<storedColumns]),
                rests: UnsafeMutableBufferPointer(rebasing: numbers[storedColumns...]))
            _ = growing.tops.initialize(from: tops[columns])
            if restCount > 0 { _ = growing.rests.initialize(from: rests[columns]) }
            let pitch = metrics.columnWidth + metrics.columnSpacing
            go(through: run, growing) { item, column, top, height in
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
