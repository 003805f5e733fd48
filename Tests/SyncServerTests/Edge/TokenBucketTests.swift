import SeededRandom
import SyncRoom
import SyncServer
import Testing

/// Buckets of tokens, compared with a bucket that is filled every millisecond.
@Suite struct TokenBucketTests {
    private struct PlainBucket {
        let rate: Rate
        var level: Int
        var now: UInt64 = 0

        init(_ rate: Rate) {
            self.rate = rate
            level = rate.burst * 60_000
        }

        mutating func wait(until time: UInt64) {
            while now < time {
                now += 1
                level = min(level + rate.perMinute, rate.burst * 60_000)
            }
        }
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func doesWhatAPlainOneDoes(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let rate = Rate(
            perMinute: 600 + Int(numbers.next() % 20_000), burst: 1 + Int(numbers.next() % 50))
        var bucket = TokenBucket()
        var plain = PlainBucket(rate)
        var now: UInt64 = 0
        for step in 0..<300 {
            now += numbers.next() % 3 == 0 ? numbers.next() % 500 : 0
            plain.wait(until: now)
            switch numbers.next() % 3 {
            case 0:
                let mayTake = plain.level >= 60_000
                let isTaken = bucket.take(rate, at: now)
                #expect(isTaken == mayTake, "seed \(seed), step \(step)")
                if mayTake { plain.level -= 60_000 }
            case 1:
                let count = Int(numbers.next() % 20)
                let wait = bucket.charge(count, rate, at: now)
                plain.level -= count * 60_000
                var later = plain
                later.wait(until: now + wait)
                #expect(later.level >= 0)
                if wait > 0 {
                    later = plain
                    later.wait(until: now + wait - 1)
                    #expect(later.level < 0, "it waits longer than it must")
                }
            default:
                let isFull = bucket.isFull(rate, at: now)
                #expect(isFull == (plain.level == rate.burst * 60_000))
            }
        }
    }

    @Test func hugeNumbersOverflowNothing() {
        var bucket = TokenBucket()
        let rate = Rate(perMinute: .max, burst: .max)
        for _ in 0..<2 {
            let wait = bucket.charge(.max, rate, at: 1)
            #expect(wait > 0)
        }
        let isFull = bucket.isFull(rate, at: .max)
        let isTaken = bucket.take(Rate(perMinute: -5, burst: 0), at: .max)
        #expect(isFull && isTaken)
    }
}
