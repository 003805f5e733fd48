import SeededRandom
import Testing

@testable import SyncPicture

/// Where text is broken and cut.
@Suite struct TextStyleTests {
    private let style = TextStyle(size: 10)

    @Test func breaksBetweenWords() {
        #expect(style.lines(of: "Oat milk", width: 100, atMost: 3) == ["Oat milk"])
        #expect(style.lines(of: "Oat milk", width: 30, atMost: 3) == ["Oat", "milk"])
        #expect(style.lines(of: "Oat milk", width: 30, atMost: 1) == ["Oat…"])
        #expect(
            style.lines(of: "a pinch of salt and pepper", width: 50, atMost: 2)
                == ["a pinch of", "salt an…"])
        // Not even one M fits before an ellipsis, and so the line before is cut.
        #expect(style.lines(of: "iii iii MMM", width: 16, atMost: 3) == ["iii", "ii…"])
        #expect(style.lines(of: "Strawberries and cream", width: 50, atMost: 2) == ["Strawb…"])
    }

    @Test func whatDoesNotFitIsLeftOut() {
        #expect(style.lines(of: "Oat milk", width: 9, atMost: 3) == [])
        #expect(style.lines(of: "Oat milk", width: -1, atMost: 3) == [])
        #expect(style.lines(of: "Oat milk", width: .nan, atMost: 3) == [])
        #expect(style.lines(of: "Oat milk", width: 100, atMost: 0) == [])
        #expect(style.lines(of: "", width: 100, atMost: 3) == [])
        #expect(style.lines(of: " \n\t ", width: 100, atMost: 3) == [])
    }

    @Test func whatCannotBeShownIsLeftOut() {
        #expect(
            style.lines(of: "a\u{0}b\u{7}c\u{7F}d\u{9B}e\u{FFFE}f", width: 100, atMost: 1)
                == ["abcdef"])
        #expect(style.lines(of: "a\nb\tc\u{2028}d", width: 100, atMost: 1) == ["a b c d"])
    }

    @Test func marksStayWithTheirLetters() {
        let letter = "e\u{301}\u{323}"
        let text = String(repeating: letter, count: 30)
        let lines = style.lines(of: text, width: 50, atMost: 1)
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.dropLast().allSatisfy { String($0) == letter } })
        let endless = "e" + String(repeating: "\u{301}", count: 100_000)
        // A letter with all its marks is one character.
        let cut = style.lines(of: endless, width: 50, atMost: 1)
        #expect(cut.count == 1 && cut.allSatisfy { $0.unicodeScalars.count <= 1_025 })
    }

    /// What is measured grows with the length of a text, and not with its square.
    @Test(arguments: [
        "a ", "mm ", "abc def ", "m", "i\u{301}", "m            ", "\u{1F469} ",
    ])
    func eachPartIsMeasuredAFewTimes(part: String) {
        let text = String(repeating: part, count: 5_000)
        for width in [1.0, 12, 100, 2_000, 20_000] {
            for maximum in [1, 3] {
                var measured = 0
                let lines = style.lines(of: text, width: width, atMost: maximum) {
                    measured += $0.unicodeScalars.count
                    return style.width(of: $0)
                }
                #expect(lines == style.lines(of: text, width: width, atMost: maximum))
                #expect(measured <= 8 * 1_024, "\(part), \(width), \(maximum)")
            }
        }
    }

    /// Lines fit, and together they are the text, or its beginning with an ellipsis.
    @Test func linesFitAndLoseNothingUnsaid() {
        let letters = ["a", "W", "i", "é", "中", "👩‍👩‍👧", " ", " ", ".", "Ж", "e\u{301}"]
        for seed in 0..<3_000 {
            var random = SplitMix64(seed: UInt64(seed))
            let text = (0..<random.below(40)).compactMap { _ in random.pick(letters) }.joined()
            let style = TextStyle(
                size: Double(random.below(20)) + 1, isBold: random.chance(50))
            let width = Double(random.below(200))
            let maximum = random.below(5)
            let lines = style.lines(of: text, width: width, atMost: maximum)
            #expect(lines.count <= maximum, "seed \(seed)")
            #expect(lines.allSatisfy { style.width(of: $0) <= width + 1e-9 }, "seed \(seed)")
            #expect(lines.dropLast().allSatisfy { !$0.hasSuffix("…") }, "seed \(seed)")
            let whole = text.split(separator: " ").joined(separator: " ")
            let joined = lines.joined(separator: " ")
            if joined.hasSuffix("…") {
                #expect(whole.hasPrefix(joined.dropLast()), "seed \(seed)")
                #expect(joined.count > 1, "seed \(seed)")
            } else if !lines.isEmpty {
                #expect(joined == whole, "seed \(seed)")
            }
        }
    }
}
