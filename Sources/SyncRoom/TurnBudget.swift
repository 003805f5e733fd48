/// The phases of a loop's turn, in their order.
package enum TurnPhase: Int, CaseIterable, Sendable {
    /// Reads what has come, and begins the work that it asks for.
    case read
    /// Applies transactions, makes records of them, and runs the tasks that waited for them.
    case apply
    /// Makes what members and readers lack.
    case compose
    /// Writes to connections.
    case write
}

/// The steps that a loop may spend in one turn, and what is left of them.
///
/// ``WorkCost`` defines a step and lists the cost of work. All rooms and connections of a loop
/// spend from one budget. Each phase of a turn owns a quarter, and leaves the unspent rest to the
/// next phase; the last phase leaves it to the first phase of the next turn. So the phase with the
/// most work gets all that the others do not need, and never takes their quarters. The room or
/// connection at work spends from a ``share``, so that it does not use up the phase.
///
/// Prices are for a machine that is not slow and for memory in caches. So the time of a phase
/// counts as well: where it is longer than its steps should take, the difference is no longer
/// left.
///
/// Invariants:
/// 1. Work begins only if something is left. So a turn takes ``stepsPerTurn`` at most, plus what
///    its last piece of work takes beyond that.
/// 2. If a phase overspends, it has less in later turns. So the other phases keep their quarters.
///    Time is no debt, since it may have been another process's, and takes nothing from others.
package final class TurnBudget {
    package let stepsPerTurn: Int
    package let stepsPerShare: Int
    /// The largest piece of work in a turn. Larger work is cut, or goes to a worker.
    package let stepsPerPiece: Int
    /// The most steps for which a worker may have a room's state, since the room's edits wait for
    /// it. A single transaction may take more.
    package let stepsPerJob: Int
    /// What is left of this phase.
    @exclusivity(unchecked) package private(set) var left: Int
    /// What the room or connection at work may spend.
    @exclusivity(unchecked) package private(set) var share: Int
    /// What was spent in this turn.
    @exclusivity(unchecked) package private(set) var spent = 0
    /// The phase at work.
    @exclusivity(unchecked) package private(set) var phase = TurnPhase.read
    /// Whether work is left for the next turn.
    @exclusivity(unchecked) package private(set) var hasRest = false
    /// What was spent in this turn before the phase at work.
    @exclusivity(unchecked) private var spentBefore = 0
    /// What the phase at work has and can't spend, as the turn has no more.
    @exclusivity(unchecked) private var withheld = 0
    /// The time of this turn, and that before the phase at work.
    @exclusivity(unchecked) private var microseconds = 0
    @exclusivity(unchecked) private var microsecondsBefore = 0
    /// By how many steps the phase at work has taken longer than those that it has spent.
    @exclusivity(unchecked) private var overtime = 0
    /// By how much each phase has overspent.
    @exclusivity(unchecked) private var debts = [Int](repeating: 0, count: TurnPhase.allCases.count)

    /// The number of shares in a turn.
    private static let sharesPerTurn = 16
    /// A job takes as long as so many turns at most, but no longer than 100 ms.
    private static let turnsPerJob = 10
    package static let mostStepsPerJob = 10 * 32_768

    package init(stepsPerTurn: Int = .max) {
        self.stepsPerTurn = stepsPerTurn
        stepsPerShare = max(1, stepsPerTurn / TurnBudget.sharesPerTurn)
        stepsPerPiece = max(1, stepsPerTurn / TurnPhase.allCases.count)
        let turns = min(stepsPerTurn, TurnBudget.mostStepsPerJob)
        stepsPerJob = min(turns * TurnBudget.turnsPerJob, TurnBudget.mostStepsPerJob)
        left = stepsPerPiece
        share = stepsPerShare
    }

    /// How many steps the room or connection at work may still spend; 0 or less if it has to wait.
    @inline(__always)
    package var allowance: Int { min(left, share) }

    /// Whether the room or connection at work has spent nothing yet.
    @inline(__always)
    package var isShareFull: Bool { share >= stepsPerShare }

    @inline(__always)
    package func spend(_ steps: Int) {
        left &-= steps
        share &-= steps
        spent &+= steps
    }

    /// Notes how long the turn has taken so far.
    @inline(__always)
    package func note(turnMicroseconds: Int) {
        microseconds = turnMicroseconds
        let steps = (microseconds &- microsecondsBefore) &* 1000 / WorkCost.stepNanoseconds
        let more = steps &- (spent &- spentBefore) &- overtime
        guard more > 0 else { return }
        overtime &+= more
        left &-= min(more, max(0, left))
    }

    /// Begins the share of another room or connection.
    package func beginShare() {
        share = stepsPerShare
    }

    /// Ends the phase at work, and begins the next one; the first one begins another turn.
    ///
    /// - Parameter isDone: whether the ending phase has no work left. Then it passes on all that it
    ///   has, even what it could not have spent in this turn.
    /// - Returns: the steps that the ending phase has spent.
    @discardableResult
    package func begin(_ next: TurnPhase, isDone: Bool = true) -> Int {
        let steps = spent - spentBefore
        debts[phase.rawValue] = max(0, -(left + withheld))
        let rest = min(
            max(0, isDone ? left + withheld : left), stepsPerTurn - stepsPerPiece)
        phase = next
        if next == .read {
            spent = 0
            microseconds = 0
            hasRest = false
        }
        (spentBefore, microsecondsBefore, overtime) = (spent, microseconds, 0)
        let owned = rest + stepsPerPiece - debts[next.rawValue]
        left = min(owned, stepsPerTurn - spent)
        withheld = owned - left
        share = stepsPerShare
        return steps
    }

    /// Notes that work is left for the next turn.
    package func noteRest() {
        hasRest = true
    }
}
