import SyncModel

/// A line of items of different sizes.
struct FlowLine {
    var first: Int
    /// One more than its last item.
    var end: Int
    /// Where it begins along the scroll axis, and how long it is there.
    var main: Double
    var length: Double
    /// The room across that its items use, with the least spacing between them.
    var used: Double
    /// Whether there are no more lines.
    var isLast: Bool
}

/// The lines in order, as items fill them.
struct FlowLines {
    private let sizes: SizeList
    private let metrics: FlowBody.Metrics
    /// The state of the flow at the start of each chunk of sizes.
    private let states: [FlowBody.State]
    private var cursor: SizeList.Cursor
    private var main: ExactSum

    /// Starts with a line's first item, at that line's place along the scroll axis.
    init(
        _ sizes: SizeList, _ metrics: FlowBody.Metrics, _ states: [FlowBody.State], first: Int,
        main: ExactSum
    ) {
        self.sizes = sizes
        self.metrics = metrics
        self.states = states
        self.main = main
        cursor = SizeList.Cursor(sizes, at: first)
    }

    mutating func next() -> FlowLine? {
        guard !cursor.isAtEnd else { return nil }
        let direction = metrics.direction
        let room = metrics.available + Double.tolerance
        var line = FlowLine(
            first: cursor.item, end: cursor.item, main: main.value, length: 0, used: 0,
            isLast: false)
        while !cursor.isAtEnd {
            let size = cursor.size
            let isFirst = cursor.item == line.first
            let used =
                isFirst
                ? direction.cross(size) : line.used + metrics.spacing + direction.cross(size)
            guard isFirst || used <= room && !metrics.hasOneAcross else { break }
            line.used = used
            line.length = max(line.length, direction.main(size))
            cursor.advance()
            if let chunk = cursor.begunChunk { skipChunks(from: chunk, of: &line) }
        }
        line.end = cursor.item
        line.isLast = cursor.isAtEnd
        main += line.length
        main += metrics.lineSpacing
        return line
    }

    /// Jumps to the last chunk in which the line has items. A line can have very many items if they
    /// have no length.
    private mutating func skipChunks(from chunk: Int, of line: inout FlowLine) {
        var low = chunk
        var high = states.count
        while high - low > 1 {
            // Try the next chunk first: most lines end soon.
            let middle = low == chunk ? low + 1 : (low + high) / 2
            let first = sizes.starts[middle] - states[middle].items
            if first == line.first { low = middle } else { high = middle }
        }
        guard low > chunk else { return }
        cursor = SizeList.Cursor(sizes, at: sizes.starts[low])
        line.used = states[low].used
        line.length = states[low].length
    }

    /// The places of a line's items.
    func places(in line: FlowLine) -> Places {
        Places(line, metrics, SizeList.Cursor(sizes, at: line.first))
    }

    struct Places {
        private let line: FlowLine
        private let metrics: FlowBody.Metrics
        private var cursor: SizeList.Cursor
        private var cross: Double
        private let gap: Double

        fileprivate init(
            _ line: FlowLine, _ metrics: FlowBody.Metrics, _ cursor: SizeList.Cursor
        ) {
            self.line = line
            self.metrics = metrics
            self.cursor = cursor
            let leftover = max(0, metrics.available - line.used)
            let count = line.end - line.first
            var lead = 0.0
            var gap = metrics.spacing
            switch metrics.alignment {
            case .justify where metrics.hasOneAcross: lead = leftover / 2
            case .justify where line.isLast: break
            case .justify where count == 1: lead = leftover / 2
            case .justify: gap += leftover / Double(count - 1)
            case .leading: break
            case .center: lead = leftover / 2
            case .trailing: lead = leftover
            }
            cross = metrics.lineStart + lead
            self.gap = gap
        }

        mutating func next() -> (Int, AxisRect)? {
            guard cursor.item < line.end else { return nil }
            let size = cursor.size
            let mainLength = metrics.direction.main(size)
            let crossLength = metrics.direction.cross(size)
            let drop = metrics.lineAlignment == .center ? (line.length - mainLength) / 2 : 0
            let place = AxisRect(
                main: line.main + drop, cross: cross, mainLength: mainLength,
                crossLength: crossLength)
            defer {
                cross += crossLength + gap
                cursor.advance()
            }
            return (cursor.item, place)
        }
    }
}
