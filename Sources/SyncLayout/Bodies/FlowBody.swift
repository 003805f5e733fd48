package import SyncModel

/// Items that flow in lines: on a grid if all have the same size, else line by line as they fit.
///
/// A grid stores nothing. For lines it stores the state of the flow at the start of each chunk of
/// sizes; places inside a chunk are computed on request. After an edit the flow is computed again
/// from the edited chunk up to the first chunk whose state is as before. Later chunks are only
/// shifted.
///
/// # Performance
/// A place in a grid is O(1). A place in lines is O(log n) plus the items of its chunk and its
/// line. An edit costs the chunks that the flow passes again, and an addition for each later chunk.
package final class FlowBody: SectionBody {
    package struct Metrics: Sendable, Hashable {
        /// Where lines begin across, and how long they are.
        package var lineStart = 0.0
        package var available = 0.0
        /// Between items of a line, and between lines.
        package var spacing = 0.0
        package var lineSpacing = 0.0
        package var alignment = LayoutOptions.Alignment.justify
        package var lineAlignment = LayoutOptions.LineAlignment.center
        /// Whether each line has one item, whatever would fit.
        package var hasOneAcross = false
        package var direction = LayoutSpec.ScrollDirection.vertical

        package init() {}
    }

    /// The state of the flow at the start of a chunk.
    struct State {
        /// Where the current line begins along the scroll axis.
        var main = ExactSum()
        /// How many of the current line's items are in earlier chunks.
        var items = 0
        /// The room that these items use across and along the scroll axis.
        var used = 0.0
        var length = 0.0

        /// Whether the flow continues in the same way from both states, apart from a shift.
        func goesOn(like other: State) -> Bool {
            items == other.items && used == other.used && length == other.length
        }
    }

    private let sizes: SizeList
    /// The size of all items, if the layout ignores their own sizes.
    private let common: ListSize?
    private let metrics: Metrics
    private let work: LayoutWork
    private var states: [State] = []
    /// The state after the last chunk.
    private var last = State()
    private var isChanged: [Bool] = []
    private var firstChanged = 0
    /// The grid, if all items have the same size; `nil` after an edit, until the next request.
    private var knownGrid: FlowGrid??

    /// Makes the lines. With a `common` size, only the number of `sizes` counts.
    package init(
        _ sizes: SizeList, common: ListSize? = nil, _ metrics: Metrics,
        work: LayoutWork = LayoutWork()
    ) {
        self.sizes = sizes
        self.common = common
        self.metrics = metrics
        self.work = work
        startAnew()
    }

    private func startAnew() {
        states = Array(repeating: State(), count: sizes.chunks.count)
        isChanged = Array(repeating: true, count: sizes.chunks.count)
        firstChanged = 0
    }

    package var byteCount: Int {
        320 + (MemoryLayout<State>.stride + MemoryLayout<Bool>.stride) * states.count
    }

    private var grid: FlowGrid? {
        if let knownGrid { return knownGrid }
        let grid = (common ?? sizes.common).map { FlowGrid($0, count: sizes.count, metrics) }
        knownGrid = grid
        return grid
    }

    package func follow(_ change: SizeList.Change) -> Bool {
        knownGrid = .none
        switch change {
        case .count: break
        case .expanded: startAnew()
        case .changed(let chunk): mark(chunk)
        case .split(let chunk):
            states.insert(State(), at: chunk + 1)
            isChanged.insert(true, at: chunk + 1)
            mark(chunk)
        case .removed(let chunk):
            states.remove(at: chunk)
            isChanged.remove(at: chunk)
            // The chunk now at this index follows other items than before.
            if chunk < isChanged.count { mark(chunk) }
            firstChanged = min(firstChanged, max(chunk - 1, 0))
            if chunk > 0 { mark(chunk - 1) }
        }
        return true
    }

    private func mark(_ chunk: Int) {
        isChanged[chunk] = true
        firstChanged = min(firstChanged, chunk)
    }

    // MARK: The flow

    /// Computes the flow again where sizes changed.
    private func settle() {
        let count = states.count
        guard firstChanged < count else {
            if count == 0 { last = State() }
            return
        }
        var chunk = firstChanged
        states[chunk] = chunk == 0 ? State() : states[chunk]
        while chunk < count {
            let out = run(through: chunk)
            isChanged[chunk] = false
            chunk += 1
            guard chunk < count else {
                last = out
                break
            }
            let shift = out.main - states[chunk].main
            let goesOn = out.goesOn(like: states[chunk]) && !isChanged[chunk]
            guard goesOn, shift.isFinite else {
                states[chunk] = out
                continue
            }
            // The flow is as before up to the next changed chunk, or to the end.
            let next = isChanged[chunk...].firstIndex(of: true) ?? count
            work.steps += next - chunk
            if shift.value != 0 { for index in chunk..<next { states[index].main += shift } }
            guard next < count else {
                last.main += shift
                break
            }
            states[next].main += shift
            chunk = next
        }
        firstChanged = count
    }

    private func run(through chunk: Int) -> State {
        work.steps += sizes.chunks[chunk].sizes.count
        var state = states[chunk]
        let direction = metrics.direction
        let room = metrics.available + Double.tolerance
        let limit = metrics.hasOneAcross ? 1 : Int.max
        sizes.chunks[chunk].sizes.withUnsafeBufferPointer { sizes in
            for size in sizes {
                let cross = direction.cross(size)
                let main = direction.main(size)
                let used = state.used + metrics.spacing + cross
                if state.items > 0, used <= room, state.items < limit {
                    state.items += 1
                    state.used = used
                    state.length = max(state.length, main)
                } else {
                    if state.items > 0 {
                        state.main += state.length
                        state.main += metrics.lineSpacing
                    }
                    state.items = 1
                    state.used = cross
                    state.length = main
                }
            }
        }
        return state
    }

    package var length: Double {
        if let grid { return grid.length }
        settle()
        if sizes.count == 0 { return 0 }
        var end = last.main
        end += last.length
        return end.value
    }

    // MARK: Lines

    /// The lines from the line that is open at the start of a chunk.
    private func lines(from chunk: Int) -> FlowLines {
        settle()
        let state = states[chunk]
        return FlowLines(
            sizes, metrics, states, first: sizes.starts[chunk] - state.items,
            main: state.main)
    }

    package func place(of item: Int) -> AxisRect {
        if let grid { return grid.place(of: item) }
        var lines = lines(from: sizes.chunk(of: item))
        while let line = lines.next() {
            guard line.end > item else { continue }
            var places = lines.places(in: line)
            while let (index, place) = places.next() {
                if index == item { return place }
            }
        }
        return AxisRect(main: 0, cross: 0, mainLength: 0, crossLength: 0)
    }

    package func visit(_ area: AxisRect, _ visit: (Int, AxisRect) -> Bool) {
        if let grid { return grid.visit(area, visit) }
        guard sizes.count > 0 else { return }
        settle()
        var low = 0
        var high = states.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if states[middle].main.value <= area.main { low = middle } else { high = middle }
        }
        var lines = lines(from: low)
        while let line = lines.next(), line.main <= area.mainEnd {
            guard line.main + line.length >= area.main else { continue }
            var places = lines.places(in: line)
            while let (index, place) = places.next() {
                if !visit(index, place) { return }
            }
        }
    }
}
