import SyncTerminal
import Testing

@testable import collsync_cli

/// Text for display on a terminal.
@Suite struct DisplayTextTests {
    private func shown(_ text: DisplayText) -> String { text.clusters.map(\.text).joined() }

    @Test(arguments: [
        ("Milk", 4), ("日本", 4), ("e\u{301}", 1), ("한글", 4), ("ﾊﾝ", 2), ("Ａ", 2), ("🍎", 2), ("", 0),
        ("─", 1), ("ñ", 1), ("☎", 1), ("⌚", 2), ("\u{1F1E9}\u{1F1EA}", 2), ("𠮷", 2), ("…", 1),
    ])
    func widthsAreThoseOfTerminals(text: String, columns: Int) {
        #expect(DisplayText(text).columns == columns)
    }

    /// No text can contain a command for the terminal.
    @Test func nothingControlsTheTerminal() {
        for value in [0..<0x20, 0x7F..<0xA0].joined() {
            guard let scalar = Unicode.Scalar(value as Int) else { continue }
            let text = DisplayText("a\(Character(scalar))b")
            #expect(["a b", "a\u{FFFD}b"].contains(shown(text)), "\(value)")
            #expect(text.columns == 3)
        }
        let evil =
            "\u{1B}]0;title\u{7}\u{9B}2J\u{202E}abc\u{200D}\u{2028}\u{FE0F}\u{E0041}\u{10FFFF}"
        #expect(shown(DisplayText(evil)) == "\u{FFFD}]0;title\u{FFFD}\u{FFFD}2Jabc \u{FFFD}")
    }

    @Test func marksAreFew() {
        let text = DisplayText("\u{301}a" + String(repeating: "\u{301}", count: 500) + "b")
        #expect(text.columns == 2)
        #expect(text.clusters.first?.text.unicodeScalars.count == 4)
        let word = DisplayText(String(repeating: "e\u{301}\u{323}", count: 5))
        #expect(word.clusters.map(\.text.unicodeScalars.count) == [3, 3, 3, 3, 3])
    }

    @Test func longTextsAreLookedAtInPart() {
        #expect(DisplayText(String(repeating: "x", count: 1 << 20)).columns == 1_024)
    }

    @Test(arguments: [
        ("Milk", 4, "Milk"), ("Milks", 4, "Mil…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
        ("Milk", 1, "…"), ("Milk", 0, ""), ("Milk", -3, ""), ("", 0, ""),
    ])
    func textIsCut(text: String, columns: Int, result: String) {
        #expect(shown(DisplayText(text).cut(to: columns)) == result)
    }

    @Test(arguments: [
        ("The Milkmaid", 8, 3, ["The", "Milkmaid"]), ("The Milkmaid", 8, 1, ["The Mil…"]),
        ("The Milkmaid", 20, 3, ["The Milkmaid"]), ("abcdefgh", 3, 2, ["abc", "de…"]),
        ("abcdef", 3, 2, ["abc", "def"]), ("  a   b  ", 1, 9, ["a", "b"]),
        ("日本語", 4, 2, ["日本", "語"]), ("日本", 1, 2, []), ("abc", 0, 2, []), ("abc", 3, 0, []),
        ("a b c d", 3, 2, ["a b", "c d"]), ("   ", 2, 2, []),
    ])
    func textIsBroken(text: String, columns: Int, maximum: Int, lines: [String]) {
        #expect(DisplayText(text).lines(columns: columns, atMost: maximum).map(shown) == lines)
    }
}
