import SyncRoom

/// What the turns of all loops came to, since the server started.
package struct TurnFigures: Sendable, Equatable {
    /// How many there were.
    package var turns = 0
    /// How many left work for the next one.
    package var fullTurns = 0
    /// The steps that those have taken.
    package var fullSteps = 0
    /// The most steps that one has taken.
    package var largestTurn = 0
    /// The most steps that a phase has taken of one, in the phases' order.
    package var largestPhases = [Int](repeating: 0, count: TurnPhase.allCases.count)
    /// How many held their loop for longer than they should.
    package var holds = 0
    /// How often a worker had a room's state, for what takes more than a turn has.
    package var loans = 0

    mutating func addTurn(steps: Int, of phases: [Int], isFull: Bool) {
        turns += 1
        if isFull {
            fullTurns += 1
            fullSteps += steps
        }
        largestTurn = max(largestTurn, steps)
        for index in phases.indices {
            largestPhases[index] = max(largestPhases[index], phases[index])
        }
    }
}
