import Glibc
import SyncLayout
import Testing

/// Random inputs, laid out by the engine and by its plain twin: the content's size, all elements,
/// those in rectangles, and where scrolling ends and items go are the same.
///
/// Every run plays the same seeds. To play one again, or to run for long:
///
///     COLLSYNC_SEED=17 swift test --filter LayoutTests
///     COLLSYNC_LAYOUTS=100000 swift test --filter LayoutTests
///
/// Where the engine traps rather than answers, `COLLSYNC_TRACE=1` prints each seed before it is
/// played.
@Suite("Layouts")
struct LayoutTests {
    static let seed = environment("COLLSYNC_SEED")
    /// How many inputs each kind of layout gets, usual ones and hostile ones.
    static let layouts = environment("COLLSYNC_LAYOUTS") ?? 2_000
    static let isTraced = environment("COLLSYNC_TRACE") != nil

    /// Calls `body` with each of so many seeds, or with the one to play again, until it tells of a
    /// difference.
    static func forEachSeed(
        _ kind: LayoutSpec.Kind, _ count: UInt64, _ body: (UInt64) throws -> String?
    ) rethrows {
        for seed in LayoutTests.seed.map({ $0..<$0 + 1 }) ?? 0..<count {
            guard let difference = try body(seed) else { continue }
            Issue.record("\(kind.rawValue) seed \(seed): \(difference)")
            return
        }
    }

    private static func environment(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    @Test("what the engine lays out is what the twin does", arguments: LayoutSpec.Kind.allCases)
    func equalsTwin(kind: LayoutSpec.Kind) throws {
        try play(LayoutTrial(kind: kind, isHostile: false))
    }

    @Test("so it is with numbers that no screen has", arguments: LayoutSpec.Kind.allCases)
    func equalsTwinWithHostileNumbers(kind: LayoutSpec.Kind) throws {
        try play(LayoutTrial(kind: kind, isHostile: true))
    }

    private func play(_ trial: LayoutTrial) throws {
        let seeds = LayoutTests.seed.map { $0..<$0 + 1 } ?? 0..<LayoutTests.layouts
        var undecided = 0
        for seed in seeds {
            if LayoutTests.isTraced { print("\(trial) seed \(seed)") }
            switch try trial.run(seed: seed) {
            case .same: continue
            case .undecided: undecided += 1
            case .different(let difference):
                Issue.record("\(trial) seed \(seed): \(difference)")
                return
            }
        }
        #expect(undecided * 20 <= max(seeds.count, 20), "most differences are none of rounding")
    }
}
