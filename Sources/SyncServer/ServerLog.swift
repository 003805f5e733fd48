/// A server's log. Called on any thread.
package protocol ServerLog: Sendable {
    /// - Parameter details: names and values, for programs that read logs.
    func log(
        _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>)

    /// How many lines were lost so far: dropped because nobody read them, or left out by their
    /// rate.
    var droppedLines: Int { get }
}

extension ServerLog {
    package var droppedLines: Int { 0 }
}

/// How important a line of the log is.
package enum ServerLogLevel: Sendable {
    case debug, info, warning, error
}

/// The lines of a log that wait to be written. It is bounded, so a log that nobody reads costs a
/// fixed amount of memory, and no time.
///
/// Invariants:
/// 1. It has at most ``maximumBytes``.
/// 2. After one line is dropped, all others are, until ``takeAll()``. So the gap is in one place,
///    and its length is known.
package struct LogBacklog: Sendable {
    package static let maximumBytes = 256 << 10
    /// The most bytes of one text in a line.
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

    /// Removes all lines, and returns them with the number of lines that were dropped after them.
    package mutating func takeAll() -> (bytes: [UInt8], dropped: Int) {
        defer { (bytes, dropped) = ([], 0) }
        return (bytes, dropped)
    }

    /// Cuts a text to ``maximumTextBytes``.
    package static func bounded(_ text: String) -> String {
        guard text.utf8.count > maximumTextBytes else { return text }
        var kept = String(decoding: text.utf8.prefix(maximumTextBytes), as: UTF8.self)
        // The cut may have gone through a character.
        while kept.unicodeScalars.last == "\u{FFFD}" { kept.unicodeScalars.removeLast() }
        return kept + "…"
    }
}
