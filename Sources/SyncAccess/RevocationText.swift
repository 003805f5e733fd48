/// The text of a file with revocations: a line each, as ``Revocation/init(line:)`` reads it.
///
/// Lines that are empty or begin with `#` say nothing. A last line without its end is still being
/// written, so it does not count yet. A text may come from anybody: reading it takes one pass, and
/// memory for the text and ``Revocations/maximumCount`` revocations.
package struct RevocationText {
    /// How long a text may be.
    package static let maximumBytes = 32 << 20

    /// The revocations that were known, and those of the text.
    package private(set) var revocations: Revocations
    /// The lines that add something to what was known before them, each with its end.
    package private(set) var lines: [UInt8] = []
    package private(set) var lineCount = 0
    /// How many lines are no revocation, or are too many.
    package private(set) var wrongLines = 0
    /// The number of the first such line.
    package private(set) var firstWrongLine: Int?

    private static let lineEnd = UInt8(ascii: "\n")

    /// Reads a text.
    ///
    /// - Parameter known: the revocations that need no lines.
    package init(_ bytes: [UInt8], beyond known: Revocations = Revocations()) {
        revocations = known
        var rest = bytes[...]
        var number = 0
        while let end = rest.firstIndex(of: Self.lineEnd) {
            number += 1
            add(rest[...end], number)
            rest = rest[(end + 1)...]
        }
    }

    private mutating func add(_ line: ArraySlice<UInt8>, _ number: Int) {
        let text = line.dropLast()
        if text.isEmpty || text.first == UInt8(ascii: "#") { return }
        let read = text.withUnsafeBytes { Revocation(line: $0) }
        guard let revocation = read else { return addWrong(number) }
        if revocations.contains(revocation) { return }
        if case .role(let name, _, let time) = revocation,
            revocations.contains(.user(name, through: time))
        {
            return
        }
        guard revocations.insertWritten(revocation) else { return addWrong(number) }
        lines += line
        lineCount += 1
    }

    private mutating func addWrong(_ number: Int) {
        wrongLines += 1
        firstWrongLine = firstWrongLine ?? number
    }
}
