/// How often something may happen: a rate in the long run, and a burst at once.
package struct Rate: Hashable, Sendable {
    package let perMinute: Int
    package let burst: Int

    /// The most of either, so that no sum overflows.
    package static let maximum = 1 << 40

    package init(perMinute: Int, burst: Int) {
        self.perMinute = min(max(perMinute, 1), Rate.maximum)
        self.burst = min(max(burst, 1), Rate.maximum)
    }

    /// A rate per second, with a second's worth as the burst.
    package init(perSecond: Int) {
        let count = min(max(perSecond, 1), Rate.maximum / 60)
        self.init(perMinute: count * 60, burst: count)
    }

    /// Half of it, rounded down, but not nothing.
    package var half: Rate { Rate(perMinute: perMinute / 2, burst: burst / 2) }
}

/// A bucket of tokens, which fills at a rate. The caller passes the time, in milliseconds that
/// never go back.
///
/// It counts the missing tokens. So a full bucket is as good as new, whatever its rate.
package struct TokenBucket: Sendable {
    /// Parts of a token: at one token a minute, one comes back each millisecond.
    private static let parts = 60_000

    /// What is missing, in parts, at that time.
    private var missing = 0
    private var asOfMilliseconds: UInt64 = 0

    package init() {}

    /// Whether nothing is missing.
    package mutating func isFull(_ rate: Rate, at now: UInt64) -> Bool {
        refill(rate, at: now)
        return missing == 0
    }

    /// How many tokens are missing, in part or whole.
    package mutating func missing(_ rate: Rate, at now: UInt64) -> Int {
        refill(rate, at: now)
        return (missing + TokenBucket.parts - 1) / TokenBucket.parts
    }

    /// Takes a token, if there is one.
    package mutating func take(_ rate: Rate, at now: UInt64) -> Bool {
        refill(rate, at: now)
        guard missing <= (rate.burst - 1) * TokenBucket.parts else { return false }
        missing += TokenBucket.parts
        return true
    }

    /// How many milliseconds it takes until there is a token; 0 if there is one.
    package mutating func wait(_ rate: Rate, at now: UInt64) -> UInt64 {
        refill(rate, at: now)
        return TokenBucket.wait(missing - (rate.burst - 1) * TokenBucket.parts, rate)
    }

    /// Takes tokens for something that has happened already, even if they are missing.
    ///
    /// - Returns: how many milliseconds it takes until the debt is paid; 0 if there is none.
    package mutating func charge(_ count: Int, _ rate: Rate, at now: UInt64) -> UInt64 {
        refill(rate, at: now)
        let (parts, isTooMuch) = count.multipliedReportingOverflow(by: TokenBucket.parts)
        let (sum, overflows) = missing.addingReportingOverflow(parts)
        missing = isTooMuch || overflows ? Int.max / 2 : min(sum, Int.max / 2)
        return TokenBucket.wait(missing - rate.burst * TokenBucket.parts, rate)
    }

    private static func wait(_ debt: Int, _ rate: Rate) -> UInt64 {
        debt > 0 ? UInt64((debt - 1) / rate.perMinute + 1) : 0
    }

    private mutating func refill(_ rate: Rate, at now: UInt64) {
        guard now > asOfMilliseconds else { return }
        let passed = now - asOfMilliseconds
        asOfMilliseconds = now
        guard missing > 0 else { return }
        let (gain, overflows) = passed.multipliedReportingOverflow(by: UInt64(rate.perMinute))
        missing = overflows || gain >= UInt64(missing) ? 0 : missing - Int(gain)
    }
}
