/// Text as a terminal shows it: in clusters, each of which takes one column or two.
///
/// 1. Nothing in it moves the cursor, changes a terminal's state or the direction of what follows:
///    such characters are replaced or left out, whatever the text was.
/// 2. Every cluster is one character of one or two columns, with at most a few marks on it.
///
/// Emoji that are joined from several are shown one by one, since terminals disagree about how wide
/// they are together.
package struct DisplayText: Hashable {
    package struct Cluster: Hashable {
        package var text: String
        /// 1 or 2.
        package var columns: Int

        package init(text: String, columns: Int) {
            self.text = text
            self.columns = columns
        }
    }

    package private(set) var clusters: [Cluster] = []

    /// How many columns it takes.
    package var columns: Int { clusters.reduce(0) { $0 + $1.columns } }

    package var isEmpty: Bool { clusters.isEmpty }

    /// How many Unicode scalars of a text are read: more than anyone reads in a box.
    private static let longestText = 1_024

    /// The most marks on one character.
    private static let mostMarks = 3

    /// Shows a text, or as much of its beginning as fits into a box.
    package init(_ text: String) {
        self.init(text.unicodeScalars.prefix(DisplayText.longestText))
    }

    /// Shows all of a text, whose length the caller bounds.
    package init(whole text: some StringProtocol) {
        self.init(text.unicodeScalars)
    }

    /// What is shown, in one line.
    package var text: String { clusters.reduce(into: "") { $0 += $1.text } }

    private init(_ scalars: some Sequence<Unicode.Scalar>) {
        var marks = 0
        for scalar in scalars {
            switch DisplayText.appearance(of: scalar) {
            case .nothing: break
            case .mark:
                guard let last = clusters.indices.last, marks < DisplayText.mostMarks else { break }
                marks += 1
                clusters[last].text.unicodeScalars.append(scalar)
            case .character(let shown, let columns):
                marks = 0
                clusters.append(Cluster(text: String(shown), columns: columns))
            }
        }
    }

    private init(clusters: some Sequence<Cluster>) {
        self.clusters = Array(clusters)
    }

    // MARK: Fitting

    private static let ellipsis = Cluster(text: "…", columns: 1)

    /// The text, or as much of its beginning as fits before an ellipsis.
    package func cut(to columns: Int) -> DisplayText {
        if self.columns <= columns { return self }
        guard columns > 0 else { return DisplayText("") }
        return DisplayText(
            clusters: prefix(columns: columns - 1).clusters + [DisplayText.ellipsis])
    }

    /// Breaks the text, between words where there are any, into at most so many lines. The last one
    /// ends in an ellipsis if that is not all of the text.
    package func lines(columns: Int, atMost maximum: Int) -> [DisplayText] {
        var lines: [DisplayText] = []
        var rest = withoutSpacesAround
        while !rest.isEmpty, lines.count < maximum, columns > 0 {
            guard rest.columns > columns, lines.count < maximum - 1 else {
                lines.append(rest.cut(to: columns))
                break
            }
            var line = rest.prefix(columns: columns)
            // A wide character does not fit into one column.
            guard !line.isEmpty else { break }
            let next = rest.clusters[line.clusters.count]
            if !next.isSpace, let space = line.clusters.lastIndex(where: \.isSpace) {
                line = DisplayText(clusters: line.clusters[..<space])
            }
            rest =
                DisplayText(clusters: rest.clusters.dropFirst(line.clusters.count))
                .withoutSpacesAround
            lines.append(line)
        }
        return lines
    }

    private func prefix(columns: Int) -> DisplayText {
        var room = columns
        return DisplayText(
            clusters: clusters.prefix { cluster in
                room -= cluster.columns
                return room >= 0
            })
    }

    private var withoutSpacesAround: DisplayText {
        var middle = clusters.drop(while: \.isSpace)
        while middle.last?.isSpace == true { middle.removeLast() }
        return DisplayText(clusters: middle)
    }
}

extension DisplayText.Cluster {
    fileprivate var isSpace: Bool { text == " " }
}

// MARK: Characters

extension DisplayText {
    private enum Appearance {
        case character(Unicode.Scalar, columns: Int)
        /// Drawn on the character before it.
        case mark
        case nothing
    }

    private static let replacement: Unicode.Scalar = "\u{FFFD}"

    private static func appearance(of scalar: Unicode.Scalar) -> Appearance {
        if (0x20...0x7E).contains(scalar.value) { return .character(scalar, columns: 1) }
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator:
            return .character(" ", columns: 1)
        case .control:
            let isBlank = scalar.properties.isWhitespace
            return .character(isBlank ? " " : replacement, columns: 1)
        // They join, hide or reverse the characters beside them.
        case .format: return .nothing
        case .nonspacingMark, .enclosingMark:
            return isVariationSelector(scalar) ? .nothing : .mark
        case .unassigned, .surrogate, .privateUse: return .character(replacement, columns: 1)
        default: break
        }
        // Hangul's vowels and finals are drawn into the syllable that they follow.
        if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) {
            return .mark
        }
        return .character(scalar, columns: isWide(scalar) ? 2 : 1)
    }

    /// Whether a terminal takes a character for a command, for the end of a line, or for the
    /// direction of what follows.
    package static func commandsTerminals(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20...0x7E).contains(scalar.value) { return false }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isBidiControl
        }
    }

    private static func isVariationSelector(_ scalar: Unicode.Scalar) -> Bool {
        (0xFE00...0xFE0F).contains(scalar.value) || (0xE0100...0xE01EF).contains(scalar.value)
    }

    /// Whether terminals give a character two columns: what Unicode calls wide and fullwidth.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE1F, 0xFE30...0xFE6F,
            0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
            0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        // Flags are put together from these, which are narrow one by one.
        case 0x1F1E6...0x1F1FF: false
        default: scalar.properties.isEmojiPresentation
        }
    }
}
