import EngineTwin
import Foundation
import SeededRandom
import Testing

/// No transaction costs the engine more than ``CostTrial/Cost/bound`` steps, whatever a stranger
/// sends. Steps are counted, not time.
///
/// The fuzzer `costs` plays the same trials. What it or the search here finds is kept beside the
/// other fuzzers' inputs. To look for long, and to keep the worst that was found:
///
///     COLLSYNC_COST_TRIALS=100000 COLLSYNC_KEEP_COSTS=1 swift test --filter CostSearchTests
@Suite struct CostSearchTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fuzzers/Corpus/costs")

    private static func environment(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Searches from some seeds stay below the bound.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func searchesStayBelowTheBound(seed: UInt64) throws {
        var search = CostSearch(seed: seed)
        try search.run(trials: CostSearchTests.environment("COLLSYNC_COST_TRIALS") ?? 120)
        let worst = try #require(search.worst)
        // A search that finds nothing costly would prove nothing.
        #expect(worst.cost.share > 0.02, "\(worst.cost)")
        guard CostSearchTests.environment("COLLSYNC_KEEP_COSTS") != nil else { return }
        let file = CostSearchTests.folder.appending(path: "search-\(seed).bin")
        try Data(worst.bytes).write(to: file)
        print("seed \(seed): \(worst.cost), \(worst.cost.share) of its bound")
    }

    /// The worst trials that were found before stay below the bound.
    @Test func theWorstFoundStayBelowTheBound() throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: CostSearchTests.folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files.sorted(by: { $0.path < $1.path }) {
            var trial = CostTrial([UInt8](try Data(contentsOf: file)))
            _ = try trial.run()
        }
    }

    /// With a limit, a transaction stops soon after it and is rolled back.
    @Test(arguments: [50, 400, 3_000])
    func limitsAreKept(limit: Int) throws {
        var random = SplitMix64(seed: UInt64(limit))
        for _ in 0..<300 {
            let bytes = (0..<(16 + random.below(300))).map { _ in UInt8(random.below(256)) }
            var trial = CostTrial(bytes)
            _ = try trial.run(limit: limit)
        }
    }
}
