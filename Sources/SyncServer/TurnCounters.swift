import SyncRoom
import Synchronization

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
}

/// Counts turns, on all loops.
final class TurnCounters: Sendable {
    private let turns = Atomic<Int>(0)
    private let fullTurns = Atomic<Int>(0)
    private let fullSteps = Atomic<Int>(0)
    private let largestTurn = Atomic<Int>(0)
    private let largestRead = Atomic<Int>(0)
    private let largestApply = Atomic<Int>(0)
    private let largestCompose = Atomic<Int>(0)
    private let largestWrite = Atomic<Int>(0)
    private let holds = Atomic<Int>(0)
    private let loans = Atomic<Int>(0)

    func add(steps: Int, isFull: Bool) {
        turns.add(1, ordering: .relaxed)
        if isFull {
            fullTurns.add(1, ordering: .relaxed)
            fullSteps.add(steps, ordering: .relaxed)
        }
        TurnCounters.raise(largestTurn, to: steps)
    }

    func add(steps: Int, in phase: TurnPhase) {
        switch phase {
        case .read: TurnCounters.raise(largestRead, to: steps)
        case .apply: TurnCounters.raise(largestApply, to: steps)
        case .compose: TurnCounters.raise(largestCompose, to: steps)
        case .write: TurnCounters.raise(largestWrite, to: steps)
        }
    }

    @inline(__always)
    private static func raise(_ largest: borrowing Atomic<Int>, to steps: Int) {
        // Nearly always a read, which loops do not disturb each other with.
        if steps > largest.load(ordering: .relaxed) { largest.max(steps, ordering: .relaxed) }
    }

    func addHold() {
        holds.add(1, ordering: .relaxed)
    }

    func addLoan() {
        loans.add(1, ordering: .relaxed)
    }

    var figures: TurnFigures {
        TurnFigures(
            turns: turns.load(ordering: .relaxed),
            fullTurns: fullTurns.load(ordering: .relaxed),
            fullSteps: fullSteps.load(ordering: .relaxed),
            largestTurn: largestTurn.load(ordering: .relaxed),
            largestPhases: [
                largestRead.load(ordering: .relaxed), largestApply.load(ordering: .relaxed),
                largestCompose.load(ordering: .relaxed), largestWrite.load(ordering: .relaxed),
            ],
            holds: holds.load(ordering: .relaxed), loans: loans.load(ordering: .relaxed))
    }
}
