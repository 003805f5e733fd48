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

/// Requests over HTTP at a tiny size: each kind is answered, and takes something of the loop.
@Suite struct RequestCostTests {
    @Test func eachKindIsMeasured() throws {
        let scratch = try ScratchFolder(in: nil)
        let costs = try CostOfRequests(
            Programs.besideThis(cores: .shared), items: 200, folder: scratch.path)
        for kind in CostOfRequests.kinds {
            let cost = try costs.cost(of: kind, count: 3)
            #expect(cost.loop.isFinite && cost.counted.isFinite, "\(kind.name)")
        }
    }
}
