/// How much may be written in a second; `nil` for no limit.
package struct WriteLimits: Sendable, Equatable {
    package var transactions: Rate?
    /// Bytes of log.
    package var bytes: Rate?

    package init() {}

    package var isLimited: Bool { transactions != nil || bytes != nil }

    /// Half of each.
    package var half: WriteLimits {
        var half = WriteLimits()
        (half.transactions, half.bytes) = (transactions?.half, bytes?.half)
        return half
    }
}

/// What was written lately: to a room, or to all rooms of a server.
///
/// What was written stays written, whatever the limits are. If they allow no more, there is a time
/// to wait. The caller passes the time, in milliseconds that never go back.
package struct WriteRates: Sendable {
    private var transactions = TokenBucket()
    private var bytes = TokenBucket()

    package init() {}

    package mutating func charge(
        transactions count: Int, bytes size: Int, _ limits: WriteLimits, at now: UInt64
    ) {
        if let rate = limits.transactions { _ = transactions.charge(count, rate, at: now) }
        if let rate = limits.bytes { _ = bytes.charge(size, rate, at: now) }
    }

    /// For how many milliseconds nothing more may be written.
    package mutating func wait(_ limits: WriteLimits, at now: UInt64) -> UInt64 {
        max(
            limits.transactions.map { transactions.charge(0, $0, at: now) } ?? 0,
            limits.bytes.map { bytes.charge(0, $0, at: now) } ?? 0)
    }

    /// How many transactions and bytes count for the second that ends now; 0 of what has no limit.
    package mutating func recent(
        _ limits: WriteLimits, at now: UInt64
    ) -> (transactions: Int, bytes: Int) {
        (
            limits.transactions.map { transactions.missing($0, at: now) } ?? 0,
            limits.bytes.map { bytes.missing($0, at: now) } ?? 0
        )
    }
}
