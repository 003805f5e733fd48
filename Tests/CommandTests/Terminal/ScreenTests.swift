import SeededRandom
import SyncTerminal
import Testing

@testable import collsync_cli

/// Pictures in characters, and the bytes that have a terminal show them.
@Suite struct ScreenTests {
    private static func lines(_ canvas: ScreenCanvas) -> [String] {
        (0..<canvas.size.rows).map { row in
            (0..<canvas.size.columns).map { canvas[$0, row].text }.joined()
        }
    }

    // MARK: Drawing

    @Test func boxesAreLines() {
        var canvas = ScreenCanvas(size: ScreenSize(columns: 12, rows: 6))
        let style = CellStyle()
        canvas.drawBox(CellRect(column: 0, row: 0, columns: 4, rows: 3), .thin, style)
        canvas.drawBox(CellRect(column: 4, row: 0, columns: 4, rows: 2), .heavy, style)
        canvas.drawBox(CellRect(column: 4, row: 2, columns: 4, rows: 1), .double, style)
        canvas.drawBox(CellRect(column: 9, row: 0, columns: 1, rows: 3), .thin, style)
        canvas.drawBox(CellRect(column: 1, row: 3, columns: 5, rows: 3), .dashed, style)
        #expect(
            Self.lines(canvas) == [
                "┌──┐┏━━┓ │  ", "│  │┗━━┛ │  ", "└──┘╠══╣ │  ",
                " ┌╌╌╌┐      ", " ╎   ╎      ", " └╌╌╌┘      ",
            ])
    }

    @Test func whatLiesBesideTheScreenIsNotShown() {
        var canvas = ScreenCanvas(size: ScreenSize(columns: 5, rows: 3))
        let far = 100_000
        canvas.drawBox(CellRect(column: -1, row: -1, columns: 4, rows: 3), .thin, CellStyle())
        canvas.drawBox(
            CellRect(column: 3, row: 2, columns: far, rows: far), .double, CellStyle())
        canvas.fill(CellRect(column: -far, row: far, columns: far, rows: far), with: "x")
        canvas.write(DisplayText("abc"), column: 4, row: 0, CellStyle())
        canvas.write(DisplayText("日本"), column: 4, row: 1, CellStyle())
        canvas.write(DisplayText("日x"), column: -1, row: 2, CellStyle())
        #expect(Self.lines(canvas) == ["  │ a", "──┘  ", " x ╔═"])
    }

    @Test func wideCharactersAreWholeOrGone() {
        var canvas = ScreenCanvas(size: ScreenSize(columns: 8, rows: 1))
        let style = CellStyle()
        canvas.write(DisplayText("日本語"), column: 0, row: 0, style)
        #expect(Self.lines(canvas) == ["日本語  "])
        canvas.write(DisplayText("x"), column: 1, row: 0, style)
        canvas.write(DisplayText("y"), column: 4, row: 0, style)
        #expect(Self.lines(canvas) == [" x本y   "])
        canvas.write(DisplayText("語"), column: 1, row: 0, style)
        #expect(Self.lines(canvas) == [" 語 y   "])
    }

    // MARK: Writing

    /// Random pictures in sequence: the terminal always shows the last one.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func aTerminalShowsWhatIsDrawn(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var size = ScreenSize(columns: 1, rows: 1)
        var canvas = ScreenCanvas(size: size)
        var writer = ScreenWriter()
        var terminal = TerminalModel(size: size)
        for step in 0..<40 {
            let chance = Int.random(in: 0..<10, using: &random)
            if step == 0 || chance == 0 {
                size = ScreenSize(
                    columns: .random(in: 1...30, using: &random),
                    rows: .random(in: 1...9, using: &random))
                canvas = ScreenCanvas(size: size)
                terminal = TerminalModel(size: size)
                writer.forget()
            }
            if chance == 1 { canvas = ScreenCanvas(size: size) }
            for _ in 0..<Int.random(in: 0..<4, using: &random) { draw(on: &canvas, &random) }
            terminal.take(writer.update(to: canvas))
            #expect(terminal.unknown == [], "seed \(seed), step \(step)")
            #expect(
                terminal.cells == TerminalModel.cells(of: canvas), "seed \(seed), step \(step)")
        }
    }

    private func draw(on canvas: inout ScreenCanvas, _ random: inout SplitMix64) {
        let rect = CellRect(
            column: .random(in: -5..<30, using: &random), row: .random(in: -3..<9, using: &random),
            columns: .random(in: 1..<12, using: &random), rows: .random(in: 1..<6, using: &random))
        let colors: [UInt8?] = [nil, 110, 209]
        let style = CellStyle(
            foreground: colors.randomElement(using: &random) ?? nil,
            background: colors.randomElement(using: &random) ?? nil,
            isBold: .random(using: &random), isFaint: .random(using: &random),
            isReversed: .random(using: &random))
        let arts: [LineArt] = [.thin, .heavy, .double, .dashed]
        let texts = ["Milk", "日本語のお茶", "e\u{301}te\u{301}", "🍎x🍐", "\u{1B}[2J\r\n\u{7F}", "…"]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: canvas.drawBox(rect, arts.randomElement(using: &random) ?? .thin, style)
        case 1: canvas.fill(rect, style)
        default:
            let text = DisplayText(texts.randomElement(using: &random) ?? "")
            canvas.write(text, column: rect.column, row: rect.row, style)
        }
    }

    @Test func onlyWhatDiffersIsWritten() {
        let size = ScreenSize(columns: 80, rows: 24)
        var canvas = ScreenCanvas(size: size)
        canvas.drawBox(CellRect(column: 2, row: 2, columns: 20, rows: 8), .thin, CellStyle())
        var writer = ScreenWriter()
        var terminal = TerminalModel(size: size)
        terminal.take(writer.update(to: canvas))
        #expect(writer.update(to: canvas).isEmpty)
        let before = terminal.written
        canvas.write(DisplayText("Milk"), column: 3, row: 3, CellStyle())
        terminal.take(writer.update(to: canvas))
        #expect(terminal.written == before + 4)
        #expect(terminal.cells == TerminalModel.cells(of: canvas))
        writer.forget()
        #expect(!writer.update(to: canvas).isEmpty)
    }
}
