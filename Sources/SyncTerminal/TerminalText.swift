/// Text for a terminal: the one form in which programs print for people.
///
/// Only literals of our own source are printed as they are. Every value between them – a title, a
/// name, a server's sentence, an argument – passes ``DisplayText``, with which `view` also draws.
/// So no value moves the cursor, or changes the terminal's state or the direction of what follows.
/// Line ends come from our own source, so no value can look like a line of ours.
///
/// 1. It has no control character but line ends.
/// 2. A foreign text is cut after 1,024 Unicode scalars.
///
/// Output and standard error accept nothing else, so printing a raw text does not compile.
package struct TerminalText: Sendable, Equatable {
    /// What is printed.
    package private(set) var text: String

    /// Shows a text of others in one line.
    package init(_ foreign: String) {
        text = TerminalText.shown(foreign)
    }

    /// Shows a text of several lines that is ours but may quote others, such as a usage message.
    package init(lines: String) {
        let lines = lines.split(separator: "\n", omittingEmptySubsequences: false)
        text = lines.map { DisplayText(whole: $0).text }.joined(separator: "\n")
    }

    fileprivate init(trusted text: String) {
        self.text = text
    }

    /// How many Unicode scalars of a foreign text are shown.
    private static let longestText = 1_024

    fileprivate static func shown(_ foreign: String) -> String {
        let scalars = foreign.unicodeScalars
        let end = scalars.index(
            scalars.startIndex, offsetBy: longestText, limitedBy: scalars.endIndex)
        let isCut = end.map { $0 < scalars.endIndex } ?? false
        return DisplayText(foreign).text + (isCut ? "…" : "")
    }

    package static func + (left: TerminalText, right: TerminalText) -> TerminalText {
        TerminalText(trusted: left.text + right.text)
    }

    package static func += (left: inout TerminalText, right: TerminalText) {
        left.text += right.text
    }
}

extension Sequence<TerminalText> {
    package func joined(separator: TerminalText = "") -> TerminalText {
        TerminalText(trusted: map(\.text).joined(separator: separator.text))
    }
}

extension TerminalText: ExpressibleByStringInterpolation {
    package init(stringLiteral text: StaticString) {
        self.text = "\(text)"
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Literals are kept as they are; interpolated values pass ``DisplayText``.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            text += "\(literal)"
        }

        package mutating func appendInterpolation(_ shown: TerminalText) {
            text += shown.text
        }

        package mutating func appendInterpolation(_ foreign: some CustomStringConvertible) {
            text += TerminalText.shown(foreign.description)
        }
    }
}
