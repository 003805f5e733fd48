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

    // MARK: Time

    /// The microseconds of a turn, and its steps.
    private static let turn = (microseconds: 10_000, steps: 10_000_000 / WorkCost.stepNanoseconds)

    @Test func timeBeyondTheStepsIsNoLongerLeft() {
        let budget = TurnBudget(stepsPerTurn: Self.turn.steps)
        budget.begin(.read)
        let all = budget.left
        budget.spend(Self.turn.steps / 10)
        budget.note(turnMicroseconds: Self.turn.microseconds / 20)
        #expect(budget.left == all - Self.turn.steps / 10, "steps that were quick have their price")
        budget.note(turnMicroseconds: Self.turn.microseconds / 2)
        #expect(abs(budget.left - (all - Self.turn.steps / 2)) <= 1)
        budget.note(turnMicroseconds: Self.turn.microseconds / 2)
        budget.spend(1)
        budget.note(turnMicroseconds: Self.turn.microseconds / 2)
        #expect(abs(budget.left - (all - Self.turn.steps / 2)) <= 2, "time counts once")
        #expect(budget.spent == Self.turn.steps / 10 + 1, "what was spent is work")
    }

    /// Not even a piece that takes as long as many turns.
    @Test func timeIsNoDebtAndTakesNothingFromOthers() {
        let budget = TurnBudget(stepsPerTurn: Self.turn.steps)
        for _ in 0..<2 {
            for (number, phase) in TurnPhase.allCases.enumerated() {
                if phase != .read { budget.begin(phase, isDone: false) }
                #expect(budget.left == Self.turn.steps / 4, "\(phase)")
                budget.note(turnMicroseconds: (number + 1) * 100 * Self.turn.microseconds)
                #expect(budget.left <= 0)
            }
            budget.begin(.read, isDone: false)
        }
    }

    /// Where all work takes ten times its price, turns are as long as elsewhere, and each phase has
    /// its quarter of them.
    @Test func turnsAreAsLongOnASlowMachine() {
        let budget = TurnBudget(stepsPerTurn: Self.turn.steps)
        let piece = (steps: 10, microseconds: 10 * WorkCost.stepNanoseconds * 10 / 1000)
        var pieces = [Int](repeating: 0, count: TurnPhase.allCases.count)
        for _ in 0..<100 {
            var microseconds = 0
            for phase in TurnPhase.allCases {
                if phase != .read { budget.begin(phase, isDone: false) }
                while budget.left > 0 {
                    budget.spend(piece.steps)
                    microseconds += piece.microseconds
                    budget.note(turnMicroseconds: microseconds)
                    pieces[phase.rawValue] += 1
                }
            }
            let most = Self.turn.microseconds + TurnPhase.allCases.count * piece.microseconds
            #expect(microseconds <= most)
            budget.begin(.read, isDone: false)
        }
        let all = pieces.reduce(0, +)
        #expect(all > 100 * 300)
        for count in pieces { #expect(abs(count * pieces.count - all) < all / 10) }
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
