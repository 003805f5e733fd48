import SyncIO
import SyncModel
import SyncRoom
import SyncWire
import Synchronization

/// What was written lately to all rooms, and what was said of it.
struct ServerWrites: Sendable {
    var rates = WriteRates()
    var watch = WriteWatch()
}

// How much is written to all rooms together.
extension ServerLoop {
    /// For how many milliseconds nothing more may be written to any room.
    var writeWait: UInt64 {
        let limits = configuration.storage.writes
        guard limits.isLimited else { return 0 }
        return context.writes.withLock { $0.rates.wait(limits, at: loop.nowMilliseconds) }
    }

    func chargeWrites(transactions: Int, bytes: Int) {
        let (limits, now) = (configuration.storage.writes, loop.nowMilliseconds)
        guard limits.isLimited else { return }
        let news = context.writes.withLock { writes in
            // The use may have been low since it was charged last.
            _ = writes.watch.news(writes.rates.recent(limits, at: now), limits)
            writes.rates.charge(transactions: transactions, bytes: bytes, limits, at: now)
            return writes.watch.news(writes.rates.recent(limits, at: now), limits)
        }
        for use in news {
            context.log.log(
                .warning, "the server is nearly full",
                ["of": use.quota.noun, "count": "\(use.used)", "limit": "\(use.limit)"])
        }
    }

    /// What counts for the second that ends now.
    var recentWrites: (transactions: Int, bytes: Int) {
        let (limits, now) = (configuration.storage.writes, loop.nowMilliseconds)
        return context.writes.withLock { $0.rates.recent(limits, at: now) }
    }
}

/// Decides when to warn that nearly as much was written in a second as may be.
struct WriteWatch {
    /// What the quotas are called.
    var quotas: (transactions: Quota, bytes: Quota) = (.transactions, .logBytes)
    var transactions = QuotaWatch()
    var bytes = QuotaWatch()

    mutating func news(
        _ recent: (transactions: Int, bytes: Int), _ limits: WriteLimits
    ) -> [QuotaUse] {
        var news: [QuotaUse] = []
        if let limit = limits.transactions?.burst,
            transactions.isNews(recent.transactions, of: limit)
        {
            news.append(QuotaUse(quotas.transactions, recent.transactions, of: limit))
        }
        if let limit = limits.bytes?.burst, bytes.isNews(recent.bytes, of: limit) {
            news.append(QuotaUse(quotas.bytes, recent.bytes, of: limit))
        }
        return news
    }
}
