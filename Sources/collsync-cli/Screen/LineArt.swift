/// The kinds of lines that form boxes.
enum LineArt {
    case thin, heavy, double, dashed

    fileprivate var horizontal: String {
        switch self {
        case .thin: "─"
        case .heavy: "━"
        case .double: "═"
        case .dashed: "╌"
        }
    }

    fileprivate var vertical: String {
        switch self {
        case .thin: "│"
        case .heavy: "┃"
        case .double: "║"
        case .dashed: "╎"
        }
    }

    /// The corners, clockwise from the top left one.
    fileprivate var corners: [String] {
        switch self {
        case .thin, .dashed: ["┌", "┐", "┘", "└"]
        case .heavy: ["┏", "┓", "┛", "┗"]
        case .double: ["╔", "╗", "╝", "╚"]
        }
    }

    /// The ends of a box that is one line high.
    fileprivate var ends: (left: String, right: String) {
        switch self {
        case .thin, .dashed: ("├", "┤")
        case .heavy: ("┣", "┫")
        case .double: ("╠", "╣")
        }
    }
}

extension ScreenCanvas {
    /// Draws an empty box of lines. A box that is one character high or wide becomes a line.
    mutating func drawBox(_ rect: CellRect, _ lines: LineArt, _ style: CellStyle) {
        let (right, bottom) = (rect.endColumn - 1, rect.endRow - 1)
        func cell(_ column: Int, _ row: Int) -> CellRect {
            CellRect(column: column, row: row, columns: 1, rows: 1)
        }
        fill(rect)
        let horizontals = CellRect(column: rect.column, row: 0, columns: rect.columns, rows: 1)
        for row in Set([rect.row, bottom]) where rect.columns > 1 {
            var line = horizontals
            line.row = row
            fill(line, with: lines.horizontal, style)
        }
        guard rect.columns > 1 else { return fill(rect, with: lines.vertical, style) }
        if rect.rows == 1 {
            fill(cell(rect.column, rect.row), with: lines.ends.left, style)
            fill(cell(right, rect.row), with: lines.ends.right, style)
            return
        }
        for column in [rect.column, right] {
            let side = CellRect(column: column, row: rect.row, columns: 1, rows: rect.rows)
            fill(side, with: lines.vertical, style)
        }
        let places = [
            (rect.column, rect.row), (right, rect.row), (right, bottom), (rect.column, bottom),
        ]
        for (corner, (column, row)) in zip(lines.corners, places) {
            fill(cell(column, row), with: corner, style)
        }
    }
}
