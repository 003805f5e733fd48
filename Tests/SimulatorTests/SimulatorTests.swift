import Glibc
import Testing

/// The shipping server and clients in a simulated world with faults, all from one seed.
///
/// Connections are cut, delayed or half open; readers stop; the disk is full or fails to sync.
/// Server and clients die between any two of their writes, with or without the power of their
/// machine. Rooms are deleted, and stores are restored to a copy.
///
/// In spite of that, an acknowledged transaction is on disk, once, as long as the disk has that
/// history. A transaction for one history is in no other. Every client has what the naive twin
/// makes of the log, by batches that can be applied. Every screen shows dragged items at their
/// targets, and none of dead clients. Nothing grows without bound.
///
///     COLLSYNC_SEED=17 swift test --filter SimulatorTests
///     COLLSYNC_SECONDS=3600 swift test --filter SimulatorTests
///
/// play one seed again, and run for an hour with new ones. A failure prints its seed and the
/// shortest list of faults that still shows it. If the program traps, `COLLSYNC_TRACE=1` prints
/// each seed before it is played.
@Suite
struct SimulatorTests {
    static let lanes = 4
    static let seedCount = environment("COLLSYNC_SEEDS") ?? 160
    /// Seeds that failed once.
    static let keptSeeds: [UInt64] = [8, 54, 85, 165, 228]

    static let seed = environment("COLLSYNC_SEED")
    static let seconds = environment("COLLSYNC_SECONDS")
    /// When to stop. All lanes have the same end, because some start only after others have ended.
    private static let end = seconds.map { time(nil) + Int(clamping: $0) }
    static let isTraced = environment("COLLSYNC_TRACE") != nil

    private static func environment(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    @Test func nothingIsLostWhateverGoesWrong() async throws {
        let tally = try await withThrowingTaskGroup(of: RunTally.self) { group in
            for lane in 0..<SimulatorTests.lanes {
                group.addTask { try SimulatorTests.play(lane) }
            }
            return try await group.reduce(into: RunTally()) { $0.add($1) }
        }
        print(tally.report)
        #expect(tally.runs > 0)
        guard SimulatorTests.seed == nil, SimulatorTests.seconds == nil else { return }
        #expect(tally.runs == Int(SimulatorTests.seedCount))
        guard SimulatorTests.seedCount >= 100 else { return }
        // A simulator with few mishaps finds nothing.
        for mishap in Mishap.allCases {
            #expect(tally.mishaps[mishap, default: 0] > tally.runs / 20, "\(mishap.rawValue)")
        }
        for act in AccessAct.allCases {
            #expect(tally.acts[act, default: 0] > tally.runs / 20, "\(act.rawValue)")
        }
        #expect(tally.firstScreens > tally.runs)
        #expect(tally.evictions > tally.runs / 3)
        #expect(tally.forgotten > tally.runs / 20)
        #expect(tally.changedGuards.losses > tally.runs)
        #expect(tally.changedGuards.conflicts > tally.runs / 20)
        let drags = tally.drags
        #expect(drags[.dropped, default: 0] > tally.runs / 4, "\(drags)")
        #expect(drags[.shown, default: 0] > tally.runs / 4, "\(drags)")
    }

    /// Plays a lane's seeds.
    private static func play(_ lane: Int) throws -> RunTally {
        var tally = RunTally()
        if let seed {
            guard lane == 0 else { return tally }
            let verdict = try check(seed)
            print("\(Scenario(seed: seed))\n" + verdict.timeline.joined(separator: "\n"))
            tally.add(verdict)
            return tally
        }
        var next = UInt64(lane) + (end == nil ? 0 : UInt64(time(nil)) << 20)
        while end.map({ time(nil) < $0 }) ?? (next < seedCount) {
            tally.add(try check(next))
            next += UInt64(lanes)
        }
        return tally
    }

    /// Plays one seed, and reports it if it fails.
    private static func check(_ seed: UInt64) throws -> SimulatedRun.Verdict {
        if isTraced { print("seed \(seed)") }
        let verdict = try SimulatedRun.play(Scenario(seed: seed))
        if !verdict.violations.isEmpty {
            let failure = ShortestRun.find(Scenario(seed: seed), verdict)
            Issue.record("\(failure)")
        }
        return verdict
    }

    @Test(arguments: keptSeeds)
    func seedThatFailedOnce(seed: UInt64) throws {
        _ = try SimulatorTests.check(seed)
    }

    @Test func oneSeedMakesOneRun() throws {
        for seed: UInt64 in 0..<3 {
            let first = try SimulatedRun.play(Scenario(seed: seed))
            let second = try SimulatedRun.play(Scenario(seed: seed))
            #expect(first.timeline == second.timeline)
            #expect(first.transactions == second.transactions)
        }
    }
}
