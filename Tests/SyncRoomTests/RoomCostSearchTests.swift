import EngineTwin
import Foundation
import RoomTrials
import Testing

/// No turn takes a room more than ``RoomCostTrial/Cost/bound`` steps, whatever its members do. The
/// trials count steps, not time.
///
/// The fuzzer `roomcosts` plays the same trials. The worst trials that it or this search finds are
/// kept in the fuzzers' corpus. To search longer and to keep the worst ones:
///
///     COLLSYNC_COST_TRIALS=10000 COLLSYNC_KEEP_COSTS=1 swift test --filter RoomCostSearchTests
@Suite struct RoomCostSearchTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fuzzers/Corpus/roomcosts")

    private static func environment(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// A search from each of these seeds stays below the bound.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func searchesStayBelowTheBound(seed: UInt64) throws {
        var search = RoomCostSearch(seed: seed)
        try search.run(trials: RoomCostSearchTests.environment("COLLSYNC_COST_TRIALS") ?? 60)
        let worst = try #require(search.worst)
        // A search that finds nothing expensive proves nothing.
        #expect(worst.cost.share > 0.02, "\(worst.cost)")
        guard RoomCostSearchTests.environment("COLLSYNC_KEEP_COSTS") != nil else { return }
        let file = RoomCostSearchTests.folder.appending(path: "search-\(seed).bin")
        try Data(worst.bytes).write(to: file)
        print("seed \(seed): \(worst.cost), \(worst.cost.share) of its bound")
    }

    /// The worst trials of earlier searches stay below the bound.
    @Test func theWorstFoundStayBelowTheBound() throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: RoomCostSearchTests.folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files.sorted(by: { $0.path < $1.path }) {
            var trial = RoomCostTrial([UInt8](try Data(contentsOf: file)))
            _ = try trial.run()
        }
    }
}
