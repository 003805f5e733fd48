import SeededRandom
import SyncEngine
import SyncModel

/// Looks for transactions that cost the engine much work for few bytes.
///
/// A trial is made of bytes. Each byte is a choice; past the end every choice is the first. It
/// fills a room, submits what hostile authors with old bases might send, and counts the steps that
/// the engine takes for each transaction. It never measures time.
///
/// 1. A transaction takes at most ``Cost/bound`` steps: see there.
/// 2. With a limit of steps, a transaction takes at most twice the limit, plus one operation's
///    walk, whatever its guards could take. It notices that it is over the limit only after that
///    walk. Rolling back costs no more than the work that was done.
/// 3. A transaction that is refused for its steps changes nothing.
package struct CostTrial {
    /// What one transaction cost.
    package struct Cost: Sendable {
        package let steps: Int
        package let operations: Int
        /// The transaction's bytes on the wire.
        package let bytes: Int
        /// The size of the room: what lives there, what is dead and not forgotten, and what was
        /// done since the horizon.
        package let room: Int
        /// The bytes of the largest content there.
        package let contentBytes: Int
        /// The most steps that its guards may take.
        package let guardSteps: Int

        /// The most steps that such a transaction may take.
        ///
        /// Each operation looks for ids, places and trails: a constant number of steps, and one for
        /// each byte. An operation may copy a content. On top come some walks through all that the
        /// room remembers, but not one for each operation: that is a product of two numbers that
        /// strangers choose. Only a guard may walk through all that its own thing was given, and
        /// compare these contents for each field that it names.
        package var bound: Int {
            let perOperation = CostTrial.stepsPerOperation + contentBytes / 64
            return operations * perOperation + bytes + room * CostTrial.walks + guardSteps
        }

        /// The steps for each byte of the transaction and each thing of the room. A search looks
        /// for large values.
        package var severity: Double { Double(steps) / Double(bytes + room) }

        /// The part of ``bound`` that it takes.
        package var share: Double { Double(steps) / Double(bound) }
    }

    // How many steps an operation may take, whatever the room's size is. An operation with an index
    // counts through a chunk of what was touched since its base. Chunks are tiny in debug builds.
    #if DEBUG
        package static let stepsPerOperation = 64
    #else
        package static let stepsPerOperation = 64 + 512
    #endif
    /// How many times a transaction may walk through what the room remembers.
    package static let walks = 8

    private static let maximumTransactions = 24
    private static let itemCounts = [0, 16, 64, 256, 1024]

    private var hostile: HostileTransactions
    private let engine = Engine()
    private var operationsSinceHorizon = 0
    private var largest: Cost?

    package init(_ bytes: [UInt8]) {
        hostile = HostileTransactions(bytes)
    }

    /// Plays the trial.
    ///
    /// - Parameter limit: how many steps a transaction may take; `nil` for any number.
    /// - Returns: the cost of the transaction that took the largest part of its bound.
    /// - Throws: what is violated.
    package mutating func run(limit: Int? = nil) throws(Difference) -> Cost? {
        fill()
        for _ in 0..<CostTrial.maximumTransactions where !hostile.choices.isAtEnd {
            if hostile.choices.oneIn(12) {
                let revision = engine.revision
                engine.advanceHorizon(
                    to: revision - min(revision, Revision(hostile.choices.below(16))))
                if engine.horizon == revision { operationsSinceHorizon = 0 }
                continue
            }
            let author = HostileTransactions.named("author\(hostile.choices.below(4))")
            let transaction = hostile.next(newest: engine.revision, horizon: engine.horizon)
            try submit(transaction, by: author, limit)
        }
        engine.checkInvariants()
        return largest
    }

    private mutating func fill() {
        let counts = CostTrial.itemCounts
        hostile.itemCount = counts[hostile.choices.below(counts.count)]
        let operations = HostileTransactions.room(items: hostile.itemCount)
        _ = try? engine.submit(
            ListTransaction(base: 0, operations: operations), by: HostileTransactions.named("host"))
        engine.advanceHorizon(to: engine.revision)
    }

    private mutating func submit(
        _ transaction: ListTransaction, by author: Identifier, _ limit: Int?
    ) throws(Difference) {
        guard let packed = try? PackedTransaction(transaction) else { return }
        var limits = SubmitLimits()
        if let limit { limits.transactionSteps = limit }
        let before = engine.stepsTaken
        let room = engine.itemCount + engine.sectionCount + engine.deadNodeCount
        let state = limit == nil ? nil : engine.snapshot()
        var isOver = false
        do throws(SubmitStop) {
            _ = try packed.withView { view throws(SubmitStop) in
                try engine.submit(view, by: engine.author(author), stepLimit: .max, within: limits)
            }
        } catch {
            if case .rejected(let rejection) = error { isOver = rejection.code == .limitExceeded }
        }
        let cost = Cost(
            steps: engine.stepsTaken - before, operations: packed.traits.operationCount,
            bytes: packed.bytes.count, room: room + operationsSinceHorizon,
            contentBytes: hostile.largestContent,
            guardSteps: hostile.guardSteps(of: transaction))
        operationsSinceHorizon += packed.traits.operationCount
        if largest.map({ cost.share > $0.share }) ?? true { largest = cost }
        guard let limit else {
            if cost.steps <= cost.bound { return }
            throw Difference(
                "\(cost) is over its bound of \(cost.bound):\n\(describe(transaction, author))")
        }
        // A guard exceeds the limit by the comparison of two contents.
        let overshoot =
            cost.room * CostTrial.walks + CostTrial.stepsPerOperation + cost.bytes
            + cost.contentBytes / 32
        if cost.steps > 2 * limit + overshoot {
            throw Difference(
                "\(cost) is over a limit of \(limit):\n\(describe(transaction, author))")
        }
        if isOver, let state, engine.snapshot() != state {
            throw Difference("a refused transaction changes the room")
        }
    }

    private func describe(_ transaction: ListTransaction, _ author: Identifier) -> String {
        HistoryStep.submit(transaction, by: author).description
    }
}
