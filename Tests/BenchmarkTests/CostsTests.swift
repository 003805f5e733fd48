import SyncRoom
import Testing

@testable import collsync_bench

/// The benchmark of prices at a tiny size: each listed kind of work is measured, whatever it costs.
@Suite struct CostsTests {
    @Test func eachPriceIsMeasured() throws {
        let benchmark = try CostBenchmark(items: 1000, rounds: 1, seed: 1)
        #expect(try benchmark.nanoseconds(of: .coldEngineStep, rounds: 1) > 0)
        for cost in WorkCost.allCases {
            let taken = try benchmark.nanoseconds(of: cost, rounds: 1)
            #expect(taken.isFinite && taken >= 0, "\(cost)")
        }
    }
}
