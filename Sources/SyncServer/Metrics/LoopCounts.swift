import SyncCounts
import SyncRoom

/// What a loop has done since the server started, for metrics and figures.
///
/// The loop adds to these numbers where it does the work (``Count``), and any thread may read them
/// at any time. So nothing has to be collected: neither in a turn nor when somebody asks.
///
/// Durations come from the clock readings of the ``Watchdog``, and no clock is read for them.
final class LoopCounts: Sendable {
    let rooms = RoomCounts()

    // Connections, by kind: those that are open, and all.
    let connections = CountRow(ConnectionKind.allCases.count)
    let connectionsInAll = CountRow(ConnectionKind.allCases.count)

    let requests = RequestCounts()

    let turns = TurnCounts()

    // Rooms' states with workers, by kind, and for how long.
    let loans = CountRow(Loan.Kind.allCases.count)
    let loanTimes = Histogram(HistogramBounds.times)

    // From the room to its members.
    /// Transactions that became durable.
    let committed = Count()
    /// From when a record's first transaction was applied until the record was durable.
    let durableLags = Histogram(HistogramBounds.times)
    /// A room's part of a turn that composes what its members lack.
    let composeTimes = Histogram(HistogramBounds.times)
    /// Those parts in which a layout was made or changed.
    let layoutTimes = Histogram(HistogramBounds.times)
    /// The part of a turn that writes to connections.
    let writeTimes = Histogram(HistogramBounds.times)
    /// Bytes of deliveries, for each member that they went to, in the member's encoding.
    let fanOutBytes = Count()
    /// Requests for the content of a room or for its changes.
    let reads = CountRow(ReadKind.allCases.count)
}

/// What a request reads of a room.
enum ReadKind: Int, CaseIterable {
    /// Its changes, as one batch.
    case batch
    /// Its changes, a batch for each revision.
    case eachRevision
    case snapshot
    case items

    init(_ form: RevisionGoal.Form) {
        switch form {
        case .batch: self = .batch
        case .eachRevision: self = .eachRevision
        case .snapshot, .image: self = .snapshot
        case .items: self = .items
        }
    }
}

/// What a loop's turns have done and taken.
struct TurnCounts: ~Copyable, Sendable {
    let count = Count()
    /// Those that left work for the next one, and the steps that these took.
    let full = Count()
    let fullSteps = Count()
    /// Steps, by phase: all, and the most in a turn.
    let steps = CountRow(TurnPhase.allCases.count)
    let largestPhases = CountRow(TurnPhase.allCases.count)
    /// The most steps of a turn.
    let largest = Count()
    /// How long turns blocked the loop, the longest, and how many were logged for that.
    let times = Histogram(HistogramBounds.times)
    let longest = Count()
    let holds = Count()

    /// Counts a turn.
    @inline(__always)
    func add(steps spent: Int, of phases: [Int], isFull: Bool) {
        count.add()
        if isFull {
            full.add()
            fullSteps.add(spent)
        }
        largest.raise(to: spent)
        for index in phases.indices {
            steps.add(phases[index], at: index)
            largestPhases.raise(index, to: phases[index])
        }
    }
}

/// Figures of the turns of all loops since the server started.
package struct TurnFigures: Sendable, Equatable {
    /// How many turns there were.
    package var turns = 0
    /// How many left work for the next one.
    package var fullTurns = 0
    /// The steps that these took.
    package var fullSteps = 0
    /// The most steps that one turn took.
    package var largestTurn = 0
    /// For each phase, in order, the most steps that it took in a turn.
    package var largestPhases = [Int](repeating: 0, count: TurnPhase.allCases.count)
    /// How many blocked their loop so long that they were logged.
    package var holds = 0
    /// How often a room's state was lent to a worker, for work that is too long for a turn.
    package var loans = 0

    init(of loops: [LoopCounts]) {
        for loop in loops {
            turns += loop.turns.count.value
            fullTurns += loop.turns.full.value
            fullSteps += loop.turns.fullSteps.value
            largestTurn = max(largestTurn, loop.turns.largest.value)
            largestPhases = zip(largestPhases, loop.turns.largestPhases.values).map { max($0, $1) }
            holds += loop.turns.holds.value
            loans += loop.loans.values.reduce(0, +)
        }
    }
}
