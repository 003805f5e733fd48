package import SyncRoom

/// Limits how often things of each sort happen, and counts those that are left out.
///
/// The first sorts, up to a capacity, have a rate of their own; all others share one. So the
/// memory is bounded, whatever strangers make up. The caller passes the time, in milliseconds that
/// never go back.
package struct RateTable<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        var bucket = TokenBucket()
        var leftOut = 0

        mutating func take(_ rate: Rate, at now: UInt64) -> Int? {
            guard bucket.take(rate, at: now) else {
                leftOut += 1
                return nil
            }
            defer { leftOut = 0 }
            return leftOut
        }
    }

    private let rate: Rate
    /// By key; `nil` is that of all sorts which have no rate of their own.
    private var entries: [Key?: Entry] = [:]

    private let capacity: Int

    package static var maximumKeys: Int { 256 }

    package init(_ rate: Rate, capacity: Int = maximumKeys) {
        self.rate = rate
        self.capacity = capacity
    }

    /// Counts one thing.
    ///
    /// - Returns: how many like it were left out since the last one that was not; `nil` if this one
    ///   is left out, too.
    package mutating func take(_ key: Key, at now: UInt64) -> Int? {
        entries[counted(key), default: Entry()].take(rate, at: now)
    }

    /// The key that a thing counts for: its own, or `nil`, which all others share.
    package func counted(_ key: Key) -> Key? {
        entries[key] != nil || entries.count < capacity ? key : nil
    }

    /// Forgets sorts that have their whole burst again, if none of them was left out since
    /// ``takeLeftOut()``. So others can have a rate of their own.
    package mutating func forgetRare(at now: UInt64) {
        for (key, entry) in entries where entry.leftOut == 0 {
            var bucket = entry.bucket
            if bucket.isFull(rate, at: now) { entries[key] = nil as Entry? }
        }
    }

    /// Returns how many of each sort were left out and not reported yet, and resets these counts.
    package mutating func takeLeftOut() -> [(key: Key?, count: Int)] {
        let leftOut = entries.filter { $0.value.leftOut > 0 }
        for key in leftOut.keys { entries[key]?.leftOut = 0 }
        return leftOut.map { ($0.key, $0.value.leftOut) }
    }
}

/// Limits how often each message is logged. So nobody can fill the log's disk by causing the same
/// message again and again.
///
/// Messages are fixed texts of the program, and few; text that others have chosen is in the
/// details.
package struct LogRates: Sendable {
    package static let rate = Rate(perMinute: 60, burst: 100)

    private var table = RateTable<String>(rate)

    package init() {}

    /// Counts a line with a message.
    ///
    /// - Returns: how many lines like it were left out since the last one that was logged; `nil` if
    ///   this one is left out, too.
    package mutating func take(_ message: String, at now: UInt64) -> Int? {
        table.take(message, at: now)
    }

    /// Returns how many lines of each message were left out and not reported yet, and resets these
    /// counts. Messages that share a rate are under the empty one.
    package mutating func takeLeftOut() -> [(message: String, count: Int)] {
        table.takeLeftOut().map { ($0.key ?? "", $0.count) }.sorted { $0.message < $1.message }
    }
}
