import Glibc
import Testing

/// The shipping server in a simulated world, beside strangers that try to stop it. They flood it,
/// request answers and don't read them, come and go, open and leave views, create and delete rooms,
/// by plan and at random.
///
/// In spite of that, a well-behaved client gets each answer within a bound of others' work. What
/// clients have and see is right, as in ``SimulatorTests``. A turn stays within its budget. When
/// all strangers are gone, the server retains nothing of them.
///
///     COLLSYNC_SEED=17 swift test --filter StrangerTests
///     COLLSYNC_SEEDS=5000 swift test --filter StrangerTests
@Suite struct StrangerTests {
    private static let lanes = 4
    private static let usualCount: UInt64 = 32
    private static let seedCount = min(SimulatorTests.seedCount, usualCount)

    /// The results of the lanes.
    private struct Tally {
        var runs = 0
        var longestWait = 0
        var deeds: [Trick: Int] = [:]

        mutating func add(_ other: Tally) {
            runs += other.runs
            longestWait = max(longestWait, other.longestWait)
            deeds.merge(other.deeds, uniquingKeysWith: +)
        }
    }

    @Test func strangersStopNobody() async throws {
        let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
            for lane in 0..<StrangerTests.lanes {
                group.addTask { try StrangerTests.play(lane) }
            }
            return try await group.reduce(into: Tally()) { $0.add($1) }
        }
        print("\(tally.runs) runs, the longest wait \(tally.longestWait) steps of full turns")
        guard SimulatorTests.seed == nil, StrangerTests.seedCount == StrangerTests.usualCount else {
            return
        }
        for trick in Trick.allCases {
            #expect(tally.deeds[trick, default: 0] > 30, "\(trick.rawValue)")
        }
    }

    private static func play(_ lane: Int) throws -> Tally {
        var tally = Tally()
        let seeds = (0..<seedCount).filter { $0 % UInt64(lanes) == UInt64(lane) }
        for seed in SimulatorTests.seed.map({ lane == 0 ? [$0] : [] }) ?? seeds {
            if SimulatorTests.isTraced { print("seed \(seed)") }
            let scenario = Scenario(besieged: seed)
            let verdict = try SimulatedRun.play(scenario)
            if !verdict.violations.isEmpty {
                Issue.record("\(ShortestRun.find(scenario, verdict))")
            }
            tally.add(
                Tally(runs: 1, longestWait: verdict.longestWait, deeds: verdict.deeds))
        }
        return tally
    }
}
