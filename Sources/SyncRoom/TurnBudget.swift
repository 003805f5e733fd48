/// The work that a loop may do in one turn, in steps, and what is left of it.
///
/// A step is about a node that is visited, an operation, or a small message that is read: some tenths of
/// a microsecond. All rooms and connections of a loop spend from one budget. The first half of a turn
/// is for what comes in; the second half is for what waits, so that no flood of input starves it. Whoever
/// is at work spends from a ``share``, so that one room or connection does not take all of it.
///
/// Invariant: work that finds nothing left waits for a later turn. What is done goes over what was left
/// by one transaction's, or one message's, steps at most.
package final class TurnBudget {
    package let stepsPerTurn: Int
    package let stepsPerShare: Int
    /// What is left of this half of the turn.
    @exclusivity(unchecked) package private(set) var left: Int
    /// What whoever is at work may spend.
    @exclusivity(unchecked) package private(set) var share: Int
    /// What was spent in this turn.
    @exclusivity(unchecked) package private(set) var spent = 0
    /// Whether work is left for the next turn.
    package private(set) var hasRest = false

    /// A share is this part of a turn.
    private static let sharesPerTurn = 8

    package init(stepsPerTurn: Int = .max) {
        self.stepsPerTurn = stepsPerTurn
        stepsPerShare = max(1, stepsPerTurn / TurnBudget.sharesPerTurn)
        left = max(1, stepsPerTurn / 2)
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

    /// Begins the second half: what waits gets at least as much as what came in.
    package func beginSecondHalf() {
        left = max(left, 0) + max(1, stepsPerTurn / 2)
    }

    /// Begins the next turn.
    package func beginTurn() {
        spent = 0
        hasRest = false
        left = max(1, stepsPerTurn / 2)
        share = stepsPerShare
    }

    /// Notes that work is left for the next turn.
    package func noteRest() {
        hasRest = true
    }
}
