/// Lines of a log that wait to be written: bounded, so that a log that nobody reads costs a fixed amount
/// of memory and never time.
///
/// Invariants:
/// 1. It has at most ``maximumBytes``.
/// 2. After a line was dropped, all lines are, until ``takeAll()``. So the gap is in one place, and its
///    length is known.
package struct LogBacklog: Sendable {
    package static let maximumBytes = 256 << 10
    /// The most bytes of a text in a line, whoever chose it.
    package static let maximumTextBytes = 1024

    private var bytes: [UInt8] = []
    private var dropped = 0
    /// How many lines were ever dropped.
    package private(set) var totalDropped = 0

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty && dropped == 0 }
    package var byteCount: Int { bytes.count }

    /// Adds a line, or counts it as dropped.
    package mutating func add(_ line: String) {
        guard dropped == 0, bytes.count + line.utf8.count < LogBacklog.maximumBytes else {
            dropped += 1
            totalDropped += 1
            return
        }
        bytes.append(contentsOf: line.utf8)
        bytes.append(0x0A)
    }

    /// Takes what there is, and how many lines are missing behind it.
    package mutating func takeAll() -> (bytes: [UInt8], dropped: Int) {
        defer { (bytes, dropped) = ([], 0) }
        return (bytes, dropped)
    }

    /// A text that is not longer than a log may hold of one.
    package static func bounded(_ text: String) -> String {
        guard text.utf8.count > maximumTextBytes else { return text }
        var kept = String(decoding: text.utf8.prefix(maximumTextBytes), as: UTF8.self)
        // The cut may have gone through a character.
        while kept.unicodeScalars.last == "\u{FFFD}" { kept.unicodeScalars.removeLast() }
        return kept + "…"
    }
}
