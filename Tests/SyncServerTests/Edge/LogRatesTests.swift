import SeededRandom
import SyncRoom
import SyncServer
import Testing

/// Messages that are logged many times.
@Suite struct LogRatesTests {
    /// For each message the kept and the omitted lines add up to all lines, and the kept lines stay
    /// within the rate.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func countsAllAndKeepsFew(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var rates = LogRates()
        var now: UInt64 = 0
        var said: [String: Int] = [:]
        var kept: [String: Int] = [:]
        var told: [String: Int] = [:]
        for _ in 0..<20_000 {
            now += generator.next() % 40
            let message = "message \(generator.next() % 3)"
            said[message, default: 0] += 1
            if let leftOut = rates.take(message, at: now) {
                kept[message, default: 0] += 1
                told[message, default: 0] += leftOut
            }
        }
        for (message, count) in rates.takeLeftOut() { told[message, default: 0] += count }
        #expect(said.count == 3)
        for (message, count) in said {
            let most = LogRates.rate.burst + Int(now) * LogRates.rate.perMinute / 60_000 + 1
            #expect(kept[message, default: 0] + told[message, default: 0] == count)
            #expect(kept[message, default: 0] <= most && kept[message, default: 0] > most / 2)
        }
        #expect(rates.takeLeftOut().isEmpty)
    }

    /// Endlessly many different messages take bounded memory, and a rare message is still logged.
    @Test func endlesslyManyMessagesShareARate() {
        var rates = LogRates()
        _ = rates.take("rare", at: 0)
        var kept = 0
        for number in 0..<100_000 where rates.take("message \(number)", at: 0) != nil { kept += 1 }
        #expect(kept == RateTable<String>.maximumKeys - 1 + LogRates.rate.burst)
        #expect(rates.take("rare", at: 1) == 0)
    }
}
