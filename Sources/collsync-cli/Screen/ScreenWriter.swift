/// Writes what changes a terminal's current screen into the next one: only the cells that differ,
/// in one piece.
///
/// It relies on the cursor's place only after characters that are equally wide on every terminal.
/// So a terminal with other widths gets one character wrong, and not the rest of the line.
struct ScreenWriter {
    /// The terminal's current screen; `nil` if it is unknown.
    private var shown: ScreenCanvas?

    /// Switches to an empty screen without a cursor.
    static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[0m\u{1B}[2J"
    /// Switches back.
    static let leaving = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Terminals that support it show the output between these in one step.
    private static let updating = (begin: "\u{1B}[?2026h", end: "\u{1B}[?2026l")

    /// Forgets the current screen, so that the next update draws everything.
    mutating func forget() {
        shown = nil
    }

    /// The bytes that make the terminal show a canvas; empty if it already does.
    mutating func update(to canvas: ScreenCanvas) -> [UInt8] {
        guard canvas != shown else { return [] }
        defer { shown = canvas }
        var pen = Pen()
        var before = shown
        if before?.size != canvas.size {
            before = ScreenCanvas(size: canvas.size)
            pen.clear()
        }
        for row in 0..<canvas.size.rows {
            for column in 0..<canvas.size.columns {
                let cell = canvas[column, row]
                guard cell != before?[column, row], !cell.isContinuation else { continue }
                pen.write(cell, column: column, row: row)
            }
        }
        return Array((ScreenWriter.updating.begin + pen.text + ScreenWriter.updating.end).utf8)
    }

    /// The output so far, and the state in which it leaves the terminal.
    private struct Pen {
        var text = ""
        /// Where the next character goes; `nil` if that is unknown.
        private var place: (column: Int, row: Int)?
        private var style: CellStyle?

        mutating func clear() {
            set(CellStyle())
            text += "\u{1B}[2J"
        }

        mutating func write(_ cell: ScreenCell, column: Int, row: Int) {
            if place?.column != column || place?.row != row {
                text += "\u{1B}[\(row + 1);\(column + 1)H"
            }
            set(cell.style)
            text += cell.text
            place = Pen.isSurelyNarrow(cell.text) ? (column + 1, row) : nil
        }

        private mutating func set(_ style: CellStyle) {
            guard style != self.style else { return }
            self.style = style
            text += style.sequence
        }

        private static func isSurelyNarrow(_ text: String) -> Bool {
            let scalars = text.unicodeScalars
            guard let first = scalars.first, scalars.dropFirst().isEmpty else { return false }
            return first.isASCII || (0x2500...0x257F).contains(first.value)
        }
    }
}
