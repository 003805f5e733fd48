import Synchronization

/// What was written in the last second, about: by a holder, and by all together.
///
/// A rate is shared like an ``Account``: a holder may have written at most ``Share/ofBytes`` times
/// as much as all have left of the rate. So whoever writes little can always write. A holder may
/// have limits of its own, too.
///
/// Cost: two locks a transaction if holders have limits of their own, and three more for each other
/// rate that there is; nothing else uses it.
package final class WriteUse: Sendable {
    private struct Counts {
        var transactions = RecentCount()
        var bytes = RecentCount()
        var limits = WriteLimits()
        /// What counts for its own limits.
        var rates = WriteRates()
    }

    private let counts = Mutex(Counts())
    /// What all have written; `nil` if it is this.
    private let all: WriteUse?
    /// What it is a part of, and counts for, too.
    private let whole: WriteUse?

    /// How long a holder waits that has used up its share.
    private static let pauseMilliseconds: UInt64 = 100

    package init(in all: WriteUse? = nil) {
        self.all = all
        whole = nil
    }

    /// Makes a part of a holder's.
    init(within whole: WriteUse) {
        all = nil
        self.whole = whole
    }

    /// The holder's own limits.
    package var limits: WriteLimits {
        get { counts.withLock { $0.limits } }
        set { counts.withLock { $0.limits = newValue } }
    }

    /// What counts for its own limits now; 0 of what has no limit.
    package func recentOfLimits(
        at now: UInt64
    ) -> (recent: (transactions: Int, bytes: Int), limits: WriteLimits) {
        counts.withLock { ($0.rates.recent($0.limits, at: now), $0.limits) }
    }

    /// - Parameter counting: whether all together have a limit.
    func add(transactions: Int, bytes: Int, at now: UInt64, ofAll counting: Bool = true) {
        counts.withLock { counts in
            counts.transactions.add(transactions, at: now)
            counts.bytes.add(bytes, at: now)
            counts.rates.charge(
                transactions: transactions, bytes: bytes, counts.limits, at: now)
        }
        if let whole {
            whole.add(transactions: transactions, bytes: bytes, at: now, ofAll: counting)
        } else if counting {
            all?.add(transactions: transactions, bytes: bytes, at: now, ofAll: false)
        }
    }

    /// For how many milliseconds its own limits allow no more; 0 if they do.
    func wait(at now: UInt64) -> UInt64 {
        max(
            counts.withLock { $0.rates.wait($0.limits, at: now) }, whole?.wait(at: now) ?? 0)
    }

    /// For how many milliseconds its share of the limits allows no more; 0 if it does. A part has
    /// no share but that of the whole.
    func wait(_ limits: WriteLimits, at now: UInt64) -> UInt64 {
        if let whole { return whole.wait(limits, at: now) }
        guard limits.isLimited, let all else { return 0 }
        let (own, total) = (recent(at: now), all.recent(at: now))
        let isOver =
            WriteUse.isOver(own.transactions, of: total.transactions, limits.transactions)
            || WriteUse.isOver(own.bytes, of: total.bytes, limits.bytes)
        return isOver ? WriteUse.pauseMilliseconds : 0
    }

    /// Whether nothing was written lately.
    package func isIdle(at now: UInt64) -> Bool {
        recent(at: now) == (0, 0) && recentOfLimits(at: now).recent == (0, 0)
    }

    private func recent(at now: UInt64) -> (transactions: Int, bytes: Int) {
        counts.withLock { ($0.transactions.count(at: now), $0.bytes.count(at: now)) }
    }

    private static func isOver(_ own: Int, of total: Int, _ rate: Rate?) -> Bool {
        guard let rate, own > 0 else { return false }
        return own >= Share.ofBytes.allowance(ofFree: max(0, rate.burst - total))
    }
}

/// The rates that a room's transactions count for, and the time.
package struct CurrentRates: Sendable, Equatable {
    let ofRoom: WriteLimits
    let ofServer: WriteLimits
    let now: UInt64

    /// - Parameter limitsHolders: whether holders have limits of their own.
    /// - Returns: `nil` if there are no rates.
    package init?(
        ofRoom: WriteLimits, ofServer: WriteLimits, limitsHolders: Bool, at now: UInt64
    ) {
        guard ofRoom.isLimited || ofServer.isLimited || limitsHolders else { return nil }
        self.ofRoom = ofRoom
        self.ofServer = ofServer
        self.now = now
    }
}

/// How much there was in the last second: all of this second, and of the second before the part
/// that is less than a second ago, as if it had come evenly.
///
/// So the counts of some holders add up to the count of all.
struct RecentCount {
    private var second: UInt64 = 0
    private var current = 0
    private var former = 0

    private static let milliseconds: UInt64 = 1000

    mutating func add(_ count: Int, at now: UInt64) {
        advance(to: now)
        current += min(count, Rate.maximum - min(current, Rate.maximum))
    }

    mutating func count(at now: UInt64) -> Int {
        advance(to: now)
        let rest = RecentCount.milliseconds - min(now, end) % RecentCount.milliseconds
        return current + former * Int(rest) / Int(RecentCount.milliseconds)
    }

    /// The last millisecond of the second that it counts.
    private var end: UInt64 { (second + 1) * RecentCount.milliseconds - 1 }

    /// The loops read their clocks at different times, so an earlier time counts for this second.
    private mutating func advance(to now: UInt64) {
        let next = now / RecentCount.milliseconds
        guard next > second else { return }
        former = next == second + 1 ? current : 0
        current = 0
        second = next
    }
}
