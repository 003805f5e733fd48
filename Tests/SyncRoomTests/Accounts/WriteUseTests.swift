import SeededRandom
import Testing

@testable import SyncRoom

@Suite("Rates are shared by those who write")
struct WriteUseTests {
    private var limits: WriteLimits {
        var limits = WriteLimits()
        limits.transactions = Rate(perSecond: 900)
        return limits
    }

    @Test("one alone writes eight ninths of a rate")
    func alone() {
        let all = WriteUse()
        let one = WriteUse(in: all)
        var count = 0
        while one.wait(limits, at: 5000) == 0 {
            one.add(transactions: 1, bytes: 1, at: 5000)
            count += 1
        }
        #expect(count == 800)
        // What a holder has not written is not held against it.
        #expect(WriteUse(in: all).wait(limits, at: 5000) == 0)
        #expect(!one.isIdle(at: 5999))
        #expect(one.isIdle(at: 7000))
    }

    @Test("whoever writes little can always write, however many write much", arguments: 1...8)
    func modest(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let all = WriteUse()
        let modest = WriteUse(in: all)
        let greedy = (0..<(1 + Int(seed % 4))).map { _ in WriteUse(in: all) }
        var written = 0
        for step in 0..<20_000 as Range<UInt64> {
            let now = 1000 + step
            for _ in 0..<(random.next() % 8) {
                let one = greedy[Int(random.next() % UInt64(greedy.count))]
                guard one.wait(limits, at: now) == 0 else { continue }
                one.add(transactions: 1, bytes: 1, at: now)
                written += 1
            }
            guard step % 200 == 0 else { continue }
            #expect(modest.wait(limits, at: now) == 0, "after \(step) ms")
            modest.add(transactions: 1, bytes: 1, at: now)
        }
        #expect(written > 20 * 750 && written < 20 * 990, "\(written) of 18,000")
    }

    @Test("bytes are shared, too, and no limit is no limit")
    func bytes() {
        let all = WriteUse()
        let (one, other) = (WriteUse(in: all), WriteUse(in: all))
        var limits = WriteLimits()
        one.add(transactions: 5, bytes: 100_000, at: 10)
        #expect(one.wait(limits, at: 10) == 0)
        limits.bytes = Rate(perSecond: 110_000)
        #expect(one.wait(limits, at: 10) > 0)
        #expect(other.wait(limits, at: 10) == 0)
        #expect(one.wait(limits, at: 2000) == 0)
    }

    @Test("counts of parts add up to the count of all", arguments: 1...10)
    func sums(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (all, parts) = (RecentCount(), [RecentCount](repeating: RecentCount(), count: 3))
        var now: UInt64 = 0
        for _ in 0..<2000 {
            now += random.next() % 40
            let (part, count) = (Int(random.next() % 3), Int(random.next() % 100))
            parts[part].add(count, at: now)
            all.add(count, at: now)
            let sum = parts.indices.reduce(0) { $0 + parts[$1].count(at: now) }
            #expect((all.count(at: now) - 3...all.count(at: now)).contains(sum))
        }
        #expect(all.count(at: now + 2000) == 0)
    }
}
