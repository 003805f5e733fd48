import SeededRandom
import SyncTerminal
import Testing

@testable import collsync_cli

/// Lines that are typed with a cursor.
@Suite struct LineEditorTests {
    private func type(_ text: String, into editor: inout LineEditor) {
        for scalar in text.unicodeScalars { #expect(editor.press(.character(scalar)) == nil) }
    }

    private func line(_ keys: (inout LineEditor) -> Void) -> String? {
        var editor = LineEditor()
        keys(&editor)
        guard case .line(let line) = editor.press(.enter) else { return nil }
        return line
    }

    private func press(_ keys: Key..., in editor: inout LineEditor) {
        for key in keys { #expect(editor.press(key) == nil) }
    }

    @Test func charactersGoWhereTheCursorIs() {
        #expect(
            line { editor in
                type("add ilk", into: &editor)
                press(.left, .left, .left, .character("M"), .end, .character("!"), in: &editor)
                press(.home, .delete, .character("A"), in: &editor)
            } == "Add Milk!")
        #expect(
            line { editor in
                type("one two  ", into: &editor)
                press(.control("w"), .backspace, .left, .left, .control("u"), in: &editor)
            } == "ne")
        #expect(
            line { editor in
                type("abc", into: &editor)
                press(.control("a"), .right, .control("k"), .right, .delete, in: &editor)
                press(.control("e"), .character("é"), in: &editor)
            } == "aé")
    }

    /// What a person sees as one character is one for the cursor, too.
    @Test func aCharacterIsOne() {
        #expect(
            line { editor in
                type("e\u{301}x👍🏽y", into: &editor)
                press(.left, .backspace, .left, .backspace, in: &editor)
            } == "xy")
        #expect(line { type("\u{301}a", into: &$0) } == "\u{301}a")
        let marks = String(repeating: "\u{301}", count: 100)
        #expect((line { type("e" + marks, into: &$0) } ?? "").unicodeScalars.count == 16)
    }

    @Test func controlCharactersAreNoText() {
        let hostile = "a\u{1B}[31m\u{0}\u{9B}\u{202E}\u{2028}b"
        #expect(line { type(hostile, into: &$0) } == "a[31mb")
        #expect(line { press(.tab, .escape, .pageUp, .control("q"), in: &$0) } == " ")
    }

    /// What stands in a wide row.
    private func shown(_ editor: LineEditor) -> String? {
        editor.drawing(columns: 80).split(separator: "\u{1B}").first.map {
            String($0.dropFirst())
        }
    }

    @Test func linesComeBack() {
        var editor = LineEditor()
        for text in ["one", "two", "two", " "] {
            type(text, into: &editor)
            #expect(editor.press(.enter) == .line(text))
        }
        type("new", into: &editor)
        press(.up, in: &editor)
        #expect(shown(editor) == "> two")
        press(.up, .up, in: &editor)
        #expect(shown(editor) == "> one")
        press(.down, .down, .down, in: &editor)
        #expect(shown(editor) == "> new")
        press(.up, .character("!"), in: &editor)
        #expect(editor.press(.enter) == .line("two!"))
    }

    @Test func theEndIsAnEmptyLines() {
        var editor = LineEditor()
        type("a", into: &editor)
        press(.left, .control("d"), in: &editor)
        #expect(editor.press(.control("d")) == .end)
        #expect(editor.press(.enter) == .line(""))
    }

    @Test func aLineIsBounded() {
        let line = line { type(String(repeating: "a", count: 5000), into: &$0) }
        #expect(line?.count == 4096)
    }

    /// The drawing fits into a row, and the cursor stands behind what is before it.
    @Test(arguments: 1...UInt64(200)) func drawingsFit(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var editor = LineEditor()
        let scalars = Array("abc é日本🍎\u{301}".unicodeScalars)
        let keys: [Key] = [.left, .right, .home, .end, .backspace, .delete]
        let columns = 4 + random.below(40)
        for _ in 0..<random.below(120) {
            let isKey = random.chance(30)
            let key = keys[random.below(keys.count)]
            _ = editor.press(
                isKey ? key : .character(scalars[random.below(scalars.count)]))
            let parts = editor.drawing(columns: columns).split(separator: "\u{1B}")
            let shown = DisplayText(whole: parts[0].dropFirst())
            let cursor = Int(parts[2].dropFirst().dropLast()) ?? 0
            #expect(shown.columns < columns, "seed \(seed)")
            #expect((2...max(2, shown.columns)).contains(cursor), "seed \(seed)")
        }
    }
}
