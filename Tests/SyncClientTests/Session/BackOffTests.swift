import SyncClient
import Testing

@Suite struct BackOffTests {
    @Test func growsToTheMaximum() {
        var backOff = BackOff(initialMilliseconds: 100, maximumMilliseconds: 1_000)
        let delays = (0..<6).map { _ in backOff.next(random: 0) }
        #expect(delays == [100, 200, 400, 800, 1_000, 1_000])
    }

    @Test func takesUpToHalfOffByChance() {
        for random in [UInt64(0), 1, 50, 51, 12_345, .max] {
            var backOff = BackOff(initialMilliseconds: 100, maximumMilliseconds: 1_000)
            let delay = backOff.next(random: random)
            #expect((50...100).contains(delay))
        }
        var low = BackOff(initialMilliseconds: 100, maximumMilliseconds: 1_000)
        #expect(low.next(random: 50) == 50)
    }

    /// A connection that is lost at once does not reset the delays; one that lasted does.
    @Test func isResetByAConnectionThatLasted() {
        var backOff = BackOff(initialMilliseconds: 100, maximumMilliseconds: 1_000)
        _ = backOff.next(random: 0)
        _ = backOff.next(random: 0)
        backOff.didLast(forMilliseconds: 150)
        #expect(backOff.next(random: 0) == 400)
        backOff.didLast(forMilliseconds: 401)
        #expect(backOff.next(random: 0) == 100)
    }

    @Test func survivesZero() {
        var backOff = BackOff(initialMilliseconds: 0, maximumMilliseconds: 0)
        #expect(backOff.next(random: 7) == 1)
    }
}
