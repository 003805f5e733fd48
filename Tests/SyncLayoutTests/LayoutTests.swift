import Glibc
import SyncLayout
import Testing

/// Lays out random inputs with the engine and with its plain twin. The content's size, all
/// elements, those in rectangles, the ends of scrolling and the targets of drags must be equal.
///
/// Every run plays the same seeds. To play one again, or to run for long:
///
///     COLLSYNC_SEED=17 swift test --filter LayoutTests
///     COLLSYNC_LAYOUTS=100000 swift test --filter LayoutTests
///
/// If the engine traps, `COLLSYNC_TRACE=1` prints each seed before it is played.
@Suite("Layouts")
struct LayoutTests {
    static let seed = environment("COLLSYNC_SEED")
    /// The number of inputs for each kind of layout, usual ones and hostile ones.
    static let layouts = environment("COLLSYNC_LAYOUTS") ?? 2_000
    static let isTraced = environment("COLLSYNC_TRACE") != nil

    /// Calls `body` with `count` seeds, or with the one to play again, until it returns a
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

    @Test("the engine's layout equals the twin's", arguments: LayoutSpec.Kind.allCases)
    func equalsTwin(kind: LayoutSpec.Kind) throws {
        try play(LayoutTrial(kind: kind, isHostile: false))
    }

    @Test("the same with numbers that no screen has", arguments: LayoutSpec.Kind.allCases)
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
