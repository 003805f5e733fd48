import Testing

@testable import collsync_bench

/// The benchmark of a tick at a tiny size: it does its work, whatever the figures.
@Suite struct TickTests {
    @Test func everyMemberGetsEveryTick() throws {
        let benchmark = try TickBenchmark(members: 3, items: 50, seed: 1)
        for load in [
            TickBenchmark.Load(writers: 1, edits: 1), TickBenchmark.Load(writers: 2, edits: 7),
        ] {
            let before = benchmark.receivedBytes
            #expect(try benchmark.play(load, ticks: 5) > 0)
            let received = zip(benchmark.receivedBytes, before).map { $0 - $1 }
            #expect(received.allSatisfy { $0 > 5 * 8 })
        }
    }
}
