import SeededRandom
import SyncRoom
import Testing

/// The steps that each phase of a turn gets.
@Suite struct TurnBudgetTests {
    private static let steps = 400

    /// Plays turns in which each phase does pieces while it has budget and wants more.
    ///
    /// - Parameters:
    ///   - wanted: how many steps each phase wants in a turn.
    ///   - piece: how many steps a piece takes.
    /// - Returns: what each phase has done in each turn.
    private func play(
        turns: Int, wanted: (TurnPhase) -> Int, piece: (TurnPhase) -> Int
    ) -> [[TurnPhase: Int]] {
        let budget = TurnBudget(stepsPerTurn: Self.steps)
        return (0..<turns).map { _ in
            var done: [TurnPhase: Int] = [:]
            var isDone = true
            for phase in TurnPhase.allCases {
                if phase != .read { budget.begin(phase, isDone: isDone) }
                var steps = 0
                let wanted = wanted(phase)
                while budget.left > 0, steps < wanted {
                    let before = budget.spent
                    let size = piece(phase)
                    #expect(before < Self.steps, "a piece began after the end of the turn")
                    budget.spend(size)
                    steps += size
                }
                done[phase] = steps
                isDone = steps >= wanted
            }
            #expect(done.values.reduce(0, +) == budget.spent)
            #expect(budget.begin(.read, isDone: isDone) == done[.write])
            return done
        }
    }

    @Test func whoeverHasWorkAloneGetsAll() {
        for busy in TurnPhase.allCases {
            let turns = play(
                turns: 10, wanted: { $0 == busy ? .max : 0 }, piece: { _ in 1 })
            // The next turn leaves the later phases their share.
            for turn in turns.dropFirst() { #expect(turn[busy] == Self.steps, "\(busy)") }
        }
    }

    @Test func whenAllHaveWorkEachHasAQuarter() {
        for turn in play(turns: 10, wanted: { _ in .max }, piece: { _ in 1 }) {
            #expect(turn.values.allSatisfy { $0 == Self.steps / 4 })
        }
    }

    /// A phase with pieces longer than a turn pays for them: the others run between its pieces.
    @Test(arguments: TurnPhase.allCases)
    func largePiecesStarveNobody(greedy: TurnPhase) {
        let turns = play(
            turns: 200, wanted: { _ in .max }, piece: { $0 == greedy ? 10 * Self.steps : 1 })
        for phase in TurnPhase.allCases {
            let done = turns.reduce(0) { $0 + ($1[phase] ?? 0) }
            #expect(done >= 200 / 2 * Self.steps / 4, "\(phase) has done \(done)")
        }
        #expect(turns.count { $0[greedy, default: 0] > 0 } >= 4)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func aTurnGoesOverItsStepsByAPieceAtMost(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var largest = 0
        let turns = play(
            turns: 300,
            wanted: { _ in Int(numbers.next() % 5) * 100 },
            piece: { _ in
                let size = 1 + Int(numbers.next() % (numbers.next() % 9 == 0 ? 900 : 30))
                largest = max(largest, size)
                return size
            })
        for turn in turns { #expect(turn.values.reduce(0, +) < Self.steps + largest) }
    }

    @Test func theTestsOfRoomsHaveNoEnd() {
        let budget = TurnBudget()
        for _ in 0..<3 {
            for phase in [TurnPhase.apply, .compose, .write, .read] {
                budget.begin(phase)
                #expect(budget.left > 1 << 60)
            }
        }
    }
}
