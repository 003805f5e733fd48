/// Says to a terminal what leads from the screen that it shows to the next one: only cells that
/// differ are written, and all of them at once.
///
/// The place of the cursor is taken for known only behind characters that are as wide on every
/// terminal, so that one with other widths is wrong about one character and not about the rest of
/// the line.
struct ScreenWriter {
    /// What the terminal shows; `nil` if that is not known.
    private var shown: ScreenCanvas?

    /// Has the terminal as a screen that is drawn on as a whole, with no cursor.
    static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[0m\u{1B}[2J"
    /// Takes that back.
    static let leaving = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Terminals that know it show what stands between them in one step.
    private static let updating = (begin: "\u{1B}[?2026h", end: "\u{1B}[?2026l")

    /// Forgets what is shown, so that the next update draws all.
    mutating func forget() {
        shown = nil
    }

    /// What to write to have the terminal show a canvas; empty if it does.
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

    /// What is written, and what the terminal has made of it so far.
    private struct Pen {
        var text = ""
        /// Where the next character goes; `nil` where that is not known.
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
