import SyncBytes
import SyncRoom

/// What is made on the loop itself for those who read, in the order in which it was asked for.
struct ReadPace {
    private var waiting = Fifo<(cost: Int, work: () -> Void)>()
    private let costPerTurn: Int

    init(costPerTurn: Int) {
        self.costPerTurn = costPerTurn
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// Whether a turn may do it at all.
    func mayDo(_ cost: Int) -> Bool { cost <= costPerTurn }

    mutating func add(_ cost: Int, _ work: @escaping () -> Void) {
        waiting.append((cost, work))
    }

    /// The next to be done.
    mutating func take() -> (cost: Int, work: () -> Void)? { waiting.popFirst() }
}

extension ServerLoop {
    /// Does something for one who reads: at the end of this turn, or in one of the next ones.
    ///
    /// - Parameter cost: how many items or changes there are to be written, about.
    func pace(_ cost: Int, _ work: @escaping () -> Void) {
        readPace.add(cost, work)
        askForTurnEnd()
    }

    func doReads() {
        if readPace.isEmpty { return }
        while budget.left > 0, let (cost, work) = readPace.take() {
            budget.spend(1 + WorkCost.readItem.steps(cost))
            work()
            note(.answering)
        }
        if !readPace.isEmpty { budget.noteRest() }
    }
}
