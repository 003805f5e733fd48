import SyncTerminal

/// The size of a terminal in characters.
struct ScreenSize: Hashable {
    /// At least 1.
    var columns: Int
    /// At least 1.
    var rows: Int

    /// The largest size that is drawn: more than any screen has.
    private static let largest = 2_000

    /// Makes a size, limited to what can be drawn.
    init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 1), ScreenSize.largest)
        self.rows = min(max(rows, 1), ScreenSize.largest)
    }
}

/// A rectangle of cells; it may extend beyond the screen.
struct CellRect: Hashable {
    var column: Int
    var row: Int
    var columns: Int
    var rows: Int

    var endColumn: Int { column + columns }
    var endRow: Int { row + rows }
}

/// A picture in characters. Anything outside it is invisible.
///
/// A character of two columns is drawn with both or not at all. If one of them is drawn over, the
/// other becomes blank.
struct ScreenCanvas: Equatable {
    let size: ScreenSize
    private var cells: [ScreenCell]

    /// Makes a blank canvas.
    init(size: ScreenSize) {
        self.size = size
        cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    subscript(column: Int, row: Int) -> ScreenCell { cells[row * size.columns + column] }

    // MARK: Drawing

    /// Writes text to the right of a place.
    mutating func write(_ text: DisplayText, column: Int, row: Int, _ style: CellStyle) {
        var column = column
        for cluster in text.clusters {
            guard column < size.columns else { return }
            put(cluster, column: column, row: row, style)
            column += cluster.columns
        }
    }

    /// Fills a rectangle with a character of one column.
    mutating func fill(_ rect: CellRect, with text: String = " ", _ style: CellStyle = CellStyle())
    {
        let cluster = DisplayText.Cluster(text: text, columns: 1)
        for row in max(0, rect.row)..<max(0, rect.row, min(size.rows, rect.endRow)) {
            let columns = max(0, rect.column)
            for column in columns..<max(columns, min(size.columns, rect.endColumn)) {
                put(cluster, column: column, row: row, style)
            }
        }
    }

    private mutating func put(
        _ cluster: DisplayText.Cluster, column: Int, row: Int, _ style: CellStyle
    ) {
        guard (0..<size.rows).contains(row), column < size.columns, column + cluster.columns > 0
        else { return }
        let end = column + cluster.columns
        guard column >= 0, end <= size.columns else {
            let rest = max(0, column)..<min(end, size.columns)
            for column in rest { set(ScreenCell(text: " ", style: style), column, row) }
            return
        }
        for column in column..<end { set(ScreenCell(text: "", style: style), column, row) }
        cells[row * size.columns + column].text = cluster.text
    }

    /// Sets a cell, and blanks the other half of a character of two columns.
    private mutating func set(_ cell: ScreenCell, _ column: Int, _ row: Int) {
        let index = row * size.columns + column
        if cells[index].isContinuation, column > 0 { cells[index - 1].text = " " }
        if column + 1 < size.columns, cells[index + 1].isContinuation {
            cells[index + 1].text = " "
        }
        cells[index] = cell
    }
}
