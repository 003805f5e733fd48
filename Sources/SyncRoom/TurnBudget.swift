/// What a turn of a loop does, in this order.
package enum TurnPhase: Int, CaseIterable, Sendable {
    /// What has come is read, and what it asks for is begun.
    case read
    /// Transactions are applied, records are made of them, and what waited for them is done.
    case apply
    /// What members and readers lack is made.
    case compose
    /// Connections are written to.
    case write
}

/// The work that a loop may do in one turn, in steps, and what is left of it.
///
/// What a step is, and how many any work takes, tells ``WorkCost``. All rooms and connections of a
/// loop spend from one budget. Each phase of a turn owns a quarter, and passes on what it leaves:
/// the last one to the first one of the next turn. So whatever there is most of gets all that the
/// others leave, and starves none of them. Whoever is at work spends from a ``share``, so that one
/// room or connection does not take all of it.
///
/// Invariants:
/// 1. Work begins only if something is left. So a turn takes ``stepsPerTurn`` at most, and what its
///    last piece of work goes over that.
/// 2. What a phase takes beyond what it has, it lacks in later turns: there the others have their
///    quarters.
package final class TurnBudget {
    package let stepsPerTurn: Int
    package let stepsPerShare: Int
    /// What may be done in a turn in one piece; what takes more steps is for a worker, or cut.
    package let stepsPerPiece: Int
    /// What a worker may do while it has a room's state, which the room's edits wait for. One
    /// transaction may take more.
    package let stepsPerJob: Int
    /// What is left of this phase.
    @exclusivity(unchecked) package private(set) var left: Int
    /// What whoever is at work may spend.
    @exclusivity(unchecked) package private(set) var share: Int
    /// What was spent in this turn.
    @exclusivity(unchecked) package private(set) var spent = 0
    /// The phase at work.
    @exclusivity(unchecked) package private(set) var phase = TurnPhase.read
    /// Whether work is left for the next turn.
    @exclusivity(unchecked) package private(set) var hasRest = false
    /// What was spent in this turn before the phase at work.
    @exclusivity(unchecked) private var spentBefore = 0
    /// What the phase at work owns or was left, and can't spend as the turn has no more.
    @exclusivity(unchecked) private var withheld = 0
    /// What phases have taken beyond what they had.
    @exclusivity(unchecked) private var debts = [Int](repeating: 0, count: TurnPhase.allCases.count)

    /// A share is this part of a turn.
    private static let sharesPerTurn = 16
    /// A job takes as long as so many turns at most, and not longer than 100 ms.
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

    /// How many steps whoever is at work may still take; 0 or less if it has to wait.
    @inline(__always)
    package var allowance: Int { min(left, share) }

    /// Whether whoever is at work has spent nothing.
    @inline(__always)
    package var isShareFull: Bool { share >= stepsPerShare }

    @inline(__always)
    package func spend(_ steps: Int) {
        left &-= steps
        share &-= steps
        spent &+= steps
    }

    /// Begins the work for another room or connection.
    package func beginShare() {
        share = stepsPerShare
    }

    /// Ends the phase at work, and begins the next one; the first one begins another turn.
    ///
    /// - Parameter isDone: whether the phase that ends leaves no work: then it passes on all that
    ///   it has, also what it could not have spent.
    /// - Returns: what the phase that ends has spent.
    @discardableResult
    package func begin(_ next: TurnPhase, isDone: Bool = true) -> Int {
        let steps = spent - spentBefore
        debts[phase.rawValue] = max(0, -(left + withheld))
        let rest = min(
            max(0, isDone ? left + withheld : left), stepsPerTurn - stepsPerPiece)
        phase = next
        if next == .read {
            spent = 0
            hasRest = false
        }
        spentBefore = spent
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
