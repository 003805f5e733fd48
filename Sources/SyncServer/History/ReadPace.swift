/// What is made on the loop itself for those who read: a bounded amount in a turn, in the order in which it was
/// asked for.
struct ReadPace {
    private var waiting: [(cost: Int, work: () -> Void)] = []
    /// How many of those that wait are done.
    private var done = 0
    private var used = 0
    private let costPerTurn: Int

    init(costPerTurn: Int) {
        self.costPerTurn = costPerTurn
    }

    var isEmpty: Bool { done == waiting.count }

    /// Whether a turn may do it at all.
    func mayDo(_ cost: Int) -> Bool { cost <= costPerTurn }

    mutating func add(_ cost: Int, _ work: @escaping () -> Void) {
        waiting.append((cost, work))
    }

    /// The next to be done in this turn, if there is time for it.
    mutating func take() -> (() -> Void)? {
        guard !isEmpty, used == 0 || used + waiting[done].cost <= costPerTurn else { return nil }
        let (cost, work) = waiting[done]
        used += max(1, cost)
        done += 1
        if isEmpty {
            waiting = []
            done = 0
        }
        return work
    }

    mutating func endTurn() {
        used = 0
    }
}

extension ServerLoop {
    /// Does something for one who reads: now, or in one of the next turns.
    ///
    /// - Parameter cost: how many items or changes there are to be written, about.
    func pace(_ cost: Int, _ work: @escaping () -> Void) {
        readPace.add(cost, work)
        doReads()
    }

    func doReads() {
        while let work = readPace.take() { work() }
        askForTurnEnd()
    }

    /// The next turn goes on with what waits.
    func endTurnOfReads() {
        readPace.endTurn()
        guard !readPace.isEmpty, !areReadsPosted else { return }
        areReadsPosted = true
        peers[index].post { loop in
            loop.areReadsPosted = false
            loop.doReads()
        }
    }
}
