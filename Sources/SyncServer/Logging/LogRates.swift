/// How often each message may be logged: so that nobody who makes a server say something again and again
/// fills the disk that its log goes to.
///
/// Messages are the program's own words, and few. What others have chosen stands in the details.
/// It reads no clock: its caller says what time it is, in milliseconds, never going back.
package struct LogRates: Sendable {
    package static let rate = Rate(perMinute: 60, burst: 100)
    /// So many messages have a rate of their own; all others share one.
    package static let maximumMessages = 256

    fileprivate struct Entry {
        var bucket = TokenBucket()
        var leftOut = 0
    }

    private var entries: [String: Entry] = [:]

    package init() {}

    /// Takes a line with a message.
    ///
    /// - Returns: how many like it were left out since the one before; `nil` if it is left out, too.
    package mutating func take(_ message: String, at now: UInt64) -> Int? {
        let hasOwn = entries[message] != nil || entries.count < LogRates.maximumMessages
        return entries[hasOwn ? message : "", default: Entry()].take(at: now)
    }

    /// Takes how many lines of each message were left out and not told of yet.
    package mutating func takeLeftOut() -> [(message: String, count: Int)] {
        let leftOut = entries.filter { $0.value.leftOut > 0 }.sorted { $0.key < $1.key }
        for (message, _) in leftOut { entries[message]?.leftOut = 0 }
        return leftOut.map { ($0.key, $0.value.leftOut) }
    }
}

extension LogRates.Entry {
    fileprivate mutating func take(at now: UInt64) -> Int? {
        guard bucket.take(LogRates.rate, at: now) else {
            leftOut += 1
            return nil
        }
        defer { leftOut = 0 }
        return leftOut
    }
}
