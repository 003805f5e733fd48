/// The size of text, and the width that follows from it.
///
/// The widths are those of DejaVu Sans, which is wider than most fonts. So every machine cuts the
/// text of a picture at the same letter, and other fonts need no more room.
struct TextStyle {
    /// The height of a line's letters, in points.
    var size: Double
    var isBold = false

    /// The font families to use; the second is as wide as the first.
    static let families = ["DejaVu Sans", "Verdana", "Geneva", "sans-serif"]

    static let halfCapitalHeight = 0.365
    var lineHeight: Double { size * 1.25 }

    private static let boldFactor = 1.13

    /// Widths in thousandths of the size, from the space to the tilde.
    private static let asciiWidths: [UInt16] = [
        318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
        636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
        1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
        603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
        500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
        635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
    ]

    func width(of text: some StringProtocol) -> Double {
        let thousandths = text.unicodeScalars.reduce(0) { $0 + TextStyle.thousandths(of: $1) }
        return Double(thousandths) / 1_000 * size * (isBold ? TextStyle.boldFactor : 1)
    }

    private static func thousandths(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x20...0x7E: return Int(asciiWidths[Int(scalar.value - 0x20)])
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0x1F000...:
            return 1_000
        default: break
        }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: 0
        case .uppercaseLetter, .titlecaseLetter: 760
        case .lowercaseLetter, .otherLetter, .decimalNumber: 640
        default: 1_000
        }
    }
}

extension TextStyle {
    private static let ellipsis = "…"

    /// Breaks text between words into at most `maximum` lines that fit a width. The last line ends
    /// in an ellipsis if text is left over. There are no lines if not even a letter fits.
    func lines(of text: String, width: Double, atMost maximum: Int) -> [String] {
        lines(of: text, width: width, atMost: maximum) { self.width(of: $0) }
    }

    /// - Parameter measure: the width of a part of the text. Each part is measured a few times, so
    ///   that the time grows with the length of the text alone.
    func lines(
        of text: String, width: Double, atMost maximum: Int,
        measuring measure: (Substring) -> Double
    ) -> [String] {
        var words = TextStyle.printable(text).unicodeScalars.split(separator: " ").map(
            Substring.init)[...]
        var lines: [String] = []
        while lines.count < maximum, let first = words.popFirst() {
            var line = String(first)
            // Summed up by word: to measure the line anew for each would take its square.
            var lineWidth = measure(first)
            let isLast = lines.count == maximum - 1
            while let next = words.first {
                lineWidth += measure(" ") + measure(next)
                guard isLast || lineWidth <= width else { break }
                line += " "
                line += next
                words.removeFirst()
            }
            let whole = line
            line = TextStyle.cut(whole, to: width, measure)
            // If not even a letter fits, the line before ends in the ellipsis.
            while line.isEmpty, let last = lines.popLast() {
                line = TextStyle.cut(last + " " + whole, to: width, measure)
            }
            if !line.isEmpty { lines.append(line) }
            if !line.utf8.elementsEqual(whole.utf8) { break }
        }
        return lines
    }

    /// The text, or as much of its beginning as fits with an ellipsis.
    private static func cut(
        _ text: String, to width: Double, _ measure: (Substring) -> Double
    ) -> String {
        if measure(text[...]) <= width { return text }
        var room = width - measure(ellipsis[...])
        let beginning = text.prefix { character in
            room -= measure(String(character)[...])
            return room >= 0
        }
        let endsInSpace = beginning.utf8.last == UInt8(ascii: " ")
        let trimmed = endsInSpace ? beginning.dropLast() : beginning
        return trimmed.isEmpty ? "" : trimmed + ellipsis
    }

    /// The number of characters that are used: more than anyone reads in a line.
    private static let longestText = 1_024

    /// The beginning of a text without characters that can't be shown; line breaks and tabs become
    /// spaces.
    private static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longestText) {
            switch scalar.properties.generalCategory {
            case .lineSeparator, .paragraphSeparator, .spaceSeparator: result.append(" ")
            case .control where scalar.properties.isWhitespace: result.append(" ")
            case .control: break
            // Two code points of each plane are no characters, and XML does not allow them.
            case _ where scalar.value & 0xFFFE == 0xFFFE: break
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
