import SyncModel

/// Items of one size in lines, placed by arithmetic alone.
struct FlowGrid {
    private let mainLength: Double
    private let crossLength: Double
    private let count: Int
    /// How many items a full line has.
    private let columns: Int
    /// The distance from one item to the next across, and from one line to the next.
    private let columnPitch: Double
    private let rowPitch: Double
    private let metrics: FlowBody.Metrics

    init(_ size: ListSize, count: Int, _ metrics: FlowBody.Metrics) {
        self.metrics = metrics
        self.count = count
        mainLength = metrics.direction.main(size)
        crossLength = metrics.direction.cross(size)
        let advance = crossLength + metrics.spacing
        let fitting =
            metrics.hasOneAcross
            ? 1 : metrics.available.count(ofLength: crossLength, gap: metrics.spacing)
        columns = fitting < Double(count) ? Int(fitting) : max(count, 1)
        rowPitch = mainLength + metrics.lineSpacing
        if metrics.alignment == .justify, fitting > 1, fitting < .infinity {
            let leftover =
                metrics.available - fitting * crossLength - (fitting - 1) * metrics.spacing
            columnPitch = advance + max(0, leftover) / (fitting - 1)
        } else {
            columnPitch = advance
        }
        isAlone = fitting == 1
    }

    /// Whether a line has room for only one item.
    private let isAlone: Bool

    private var rows: Int { (count + columns - 1) / columns }

    var length: Double {
        count == 0
            ? 0 : Double(rows) * mainLength + Double(rows - 1) * metrics.lineSpacing
    }

    /// How far a line's first item is from the line's start.
    private func lead(ofRow row: Int) -> Double {
        let items = min(columns, count - row * columns)
        let used = Double(items) * crossLength + Double(items - 1) * metrics.spacing
        let leftover = max(0, metrics.available - used)
        switch metrics.alignment {
        case .justify: return isAlone ? leftover / 2 : 0
        case .leading: return 0
        case .center: return leftover / 2
        case .trailing: return leftover
        }
    }

    func place(of item: Int) -> AxisRect {
        let row = item / columns
        return place(row: row, column: item - row * columns, lead: lead(ofRow: row))
    }

    private func place(row: Int, column: Int, lead: Double) -> AxisRect {
        AxisRect(
            main: Double(row) * rowPitch,
            cross: metrics.lineStart + lead + Double(column) * columnPitch,
            mainLength: mainLength, crossLength: crossLength)
    }

    func visit(_ area: AxisRect, _ visit: (Int, AxisRect) -> Bool) {
        let rows = FlowGrid.indices(
            from: area.main - mainLength, to: area.mainEnd, pitch: rowPitch, count: rows)
        var row = rows.lowerBound
        while row < rows.upperBound {
            let lead = lead(ofRow: row)
            let start = metrics.lineStart + lead
            let columns = FlowGrid.indices(
                from: area.cross - crossLength - start, to: area.crossEnd - start,
                pitch: columnPitch, count: min(self.columns, count - row * self.columns))
            // All full lines are alike: if one has nothing in the area, none has. Only the last
            // line may differ.
            if columns.isEmpty, row + 1 < rows.upperBound {
                row = rows.upperBound - 1
                continue
            }
            for column in columns {
                let place = place(row: row, column: column, lead: lead)
                if !visit(row * self.columns + column, place) { return }
            }
            row += 1
        }
    }

    /// The indices of the entries that begin in a range, with one more at either end.
    private static func indices(
        from low: Double, to high: Double, pitch: Double, count: Int
    ) -> Range<Int> {
        guard low <= high else { return 0..<0 }
        guard pitch > 0 else { return low <= 0 && high >= 0 ? 0..<count : 0..<0 }
        let first = (low / pitch).rounded(.down) - 1
        let last = high < .infinity ? (high / pitch).rounded(.up) + 1 : .infinity
        let lower = first > 0 ? (first < Double(count) ? Int(first) : count) : 0
        let upper = last > 0 ? (last < Double(count) ? Int(last) + 1 : count) : 0
        return lower..<max(lower, min(upper, count))
    }
}
