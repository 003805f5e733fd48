package import SyncRoom

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

/// Limits how often each message is logged. So nobody can fill the log's disk by causing the same
/// message again and again.
///
/// Messages are fixed texts of the program, and few; text that others have chosen is in the
/// details. The caller passes the time, in milliseconds that never go back.
package struct LogRates: Sendable {
    package static let rate = Rate(perMinute: 60, burst: 100)
    /// So many messages have a rate of their own; all others share one.
    package static let maximumMessages = 256

    fileprivate struct Entry {
        var bucket = TokenBucket()
        var leftOut = 0

        mutating func take(at now: UInt64) -> Int? {
            guard bucket.take(LogRates.rate, at: now) else {
                leftOut += 1
                return nil
            }
            defer { leftOut = 0 }
            return leftOut
        }
    }

    private var entries: [String: Entry] = [:]

    package init() {}

    /// Counts a line with a message.
    ///
    /// - Returns: how many lines like it were left out since the last one that was logged; `nil` if
    ///   this one is left out, too.
    package mutating func take(_ message: String, at now: UInt64) -> Int? {
        let hasOwn = entries[message] != nil || entries.count < LogRates.maximumMessages
        return entries[hasOwn ? message : "", default: Entry()].take(at: now)
    }

    /// Returns how many lines of each message were left out and not reported yet, and resets these
    /// counts.
    package mutating func takeLeftOut() -> [(message: String, count: Int)] {
        let leftOut = entries.filter { $0.value.leftOut > 0 }.sorted { $0.key < $1.key }
        for (message, _) in leftOut { entries[message]?.leftOut = 0 }
        return leftOut.map { ($0.key, $0.value.leftOut) }
    }
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
