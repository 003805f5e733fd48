import SyncEngine

/// Looks for transactions that make the engine work much for little.
///
/// A trial is made of bytes: each is a choice, past their end every choice is the first. It fills a room, lets
/// authors with old bases come with what a stranger would send, and counts the steps that the engine takes for
/// each transaction. Time is never asked.
///
/// 1. A transaction takes at most ``Cost/bound`` steps: see there.
/// 2. With a limit of steps it takes no more than twice the limit, and what it takes to see that it is over: one
///    operation's walk; taking back costs no more than doing did.
/// 3. What is refused for its steps changes nothing.
package struct CostTrial {
    /// What one transaction cost.
    package struct Cost: Sendable {
        package let steps: Int
        package let operations: Int
        /// Of the transaction on the wire.
        package let bytes: Int
        /// The room it met: what lives there, what is dead and not forgotten, and what was done since the horizon.
        package let room: Int
        /// Of the largest content there.
        package let contentBytes: Int

        /// The most steps that such a transaction may take.
        ///
        /// Each operation looks for ids, places and trails: a constant for each, and one for each byte. One walk
        /// through all that the room remembers may come on top, and some for the nodes that are passed, but not one
        /// for each operation: that would be a product of two numbers that strangers choose. An operation may copy
        /// a content.
        package var bound: Int {
            let perOperation = CostTrial.stepsPerOperation + contentBytes / 64
            return operations * perOperation + bytes + room * CostTrial.walks
        }

        /// How many times the steps that the room alone allows it takes for a byte: what a search makes large.
        package var severity: Double { Double(steps) / Double(bytes + room) }

        /// How much of what it may take it takes.
        package var share: Double { Double(steps) / Double(bound) }
    }

    /// How many steps an operation may take, whatever the room's size is.
    package static let stepsPerOperation = 64
    /// How many times a transaction may walk through what the room remembers.
    package static let walks = 8

    private static let maximumTransactions = 24
    private static let sections = ["main", "s1", "s2"].map(named)
    private static let itemCounts = [0, 16, 64, 256, 1024]

    private var choices: Choices
    private let engine = Engine()
    private var operationsSinceHorizon = 0
    private var largestContent = 64
    private var largest: Cost?
    private var itemCount = 0

    package init(_ bytes: [UInt8]) {
        choices = Choices(bytes)
    }

    /// Plays the trial.
    ///
    /// - Parameter limit: how many steps a transaction may take; `nil` for any number.
    /// - Returns: what the transaction cost that took most of what it may take.
    /// - Throws: what does not hold.
    package mutating func run(limit: Int? = nil) throws(Difference) -> Cost? {
        fill()
        for _ in 0..<CostTrial.maximumTransactions where !choices.isAtEnd {
            if choices.oneIn(12) {
                let revision = engine.revision
                engine.advanceHorizon(to: revision - min(revision, Revision(choices.below(16))))
                if engine.horizon == revision { operationsSinceHorizon = 0 }
                continue
            }
            let author = CostTrial.named("author\(choices.below(4))")
            try submit(transaction(), by: author, limit)
        }
        engine.checkInvariants()
        return largest
    }

    private mutating func fill() {
        itemCount = CostTrial.itemCounts[choices.below(CostTrial.itemCounts.count)]
        var operations = CostTrial.sections.dropFirst().map { id in
            Operation.insertSection(Section(id: id), to: Placement())
        }
        operations += (0..<itemCount).map { number in
            .insert(
                Item(id: CostTrial.item(number)),
                to: Placement(section: CostTrial.sections[number % 3]))
        }
        _ = try? engine.submit(
            Transaction(base: 0, operations: operations), by: CostTrial.named("host"))
        engine.advanceHorizon(to: engine.revision)
    }

    private mutating func submit(
        _ transaction: Transaction, by author: Identifier, _ limit: Int?
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
            steps: engine.stepsTaken - before, operations: packed.operationCount,
            bytes: packed.bytes.count, room: room + operationsSinceHorizon,
            contentBytes: largestContent)
        operationsSinceHorizon += packed.operationCount
        if largest.map({ cost.share > $0.share }) ?? true { largest = cost }
        guard let limit else {
            if cost.steps <= cost.bound { return }
            throw Difference(
                "\(cost) is over its bound of \(cost.bound):\n\(describe(transaction, author))")
        }
        let overshoot = cost.room * CostTrial.walks + CostTrial.stepsPerOperation + cost.bytes
        if cost.steps > 2 * limit + overshoot {
            throw Difference(
                "\(cost) is over a limit of \(limit):\n\(describe(transaction, author))")
        }
        if isOver, let state, engine.snapshot() != state {
            throw Difference("a refused transaction changes the room")
        }
    }

    private func describe(_ transaction: Transaction, _ author: Identifier) -> String {
        HistoryStep.submit(transaction, by: author).description
    }

    static func named(_ text: String) -> Identifier {
        guard let name = try? Identifier(text) else { preconditionFailure("\(text) is a name") }
        return name
    }

    static func item(_ number: Int) -> Identifier { named("i\(number)") }
}

extension CostTrial {
    // MARK: Transactions

    /// Operations of a few patterns, each many times: what costs much at once costs more again.
    private mutating func transaction() -> Transaction {
        let revision = engine.revision
        let behind = choices.oneIn(3) ? Int(revision) : choices.below(20)
        var operations: [Operation] = []
        for _ in 0...choices.below(3) {
            let count = 1 + choices.below(4) * choices.below(48)
            let pattern = Pattern(&choices, items: max(itemCount, 8))
            operations += (0..<count).map { pattern.operation($0) }
            largestContent = max(largestContent, pattern.contentBytes + 64)
        }
        return Transaction(base: revision - min(revision, Revision(behind)), operations: operations)
    }

    /// An operation that comes many times, each a little different.
    private struct Pattern {
        let kind: Int
        let section: Identifier
        let item: Int
        let stride: Int
        let position: Int
        let trail: [Identifier]
        let content: ItemContent
        let contentBytes: Int
        let fresh: Int

        init(_ choices: inout Choices, items: Int) {
            kind = choices.below(12)
            section = CostTrial.sections[choices.below(3)]
            item = choices.below(256) * choices.below(8) % (items + 8)
            stride = choices.below(3)
            position = choices.below(6)
            trail = (0..<choices.below(8)).map { CostTrial.item($0) }
            contentBytes = choices.below(8) * choices.below(64) * 8
            let text = String(repeating: "x", count: contentBytes)
            content =
                (try? ItemContent(fields: [Field(name: CostTrial.named("f"), value: .text(text))]))
                ?? ItemContent()
            fresh = choices.below(256) * 1000
        }

        func operation(_ number: Int) -> Operation {
            let id = CostTrial.item(item + number * stride)
            switch kind {
            case 0, 1, 2:
                let new = Item(id: CostTrial.named("n\(fresh + number)"), content: content)
                return .insert(new, to: placement(number))
            case 3, 4, 5: return .move(id, to: placement(number))
            case 6: return .delete(id)
            case 7: return .deleteSection(section)
            case 8: return .moveSection(section, to: sectionPlacement(number))
            case 9: return .insertSection(Section(id: section), to: sectionPlacement(number))
            case 10: return .update(id, ItemPatch(set: content.parts.fields))
            default: return .insert(Item(id: id, content: content), to: placement(number))
            }
        }

        private func placement(_ number: Int) -> Placement {
            let anchor = CostTrial.item(item)
            return switch position {
            case 0: Placement(section: section, trail: trail)
            case 1: Placement(section: section, position: .after(anchor), trail: trail)
            case 2: Placement(section: section, position: .before(anchor), trail: trail)
            case 3: Placement(section: section, position: .index(UInt64(item + number * stride)))
            case 4: Placement(position: .after(CostTrial.item(item + number)), trail: trail)
            default: Placement(section: section, position: .index(0))
            }
        }

        private func sectionPlacement(_ number: Int) -> Placement {
            let anchor = CostTrial.sections[number % 3]
            return switch position {
            case 0, 1: Placement()
            case 2, 3: Placement(position: .after(anchor))
            case 4: Placement(position: .before(anchor))
            default: Placement(position: .index(UInt64(number % 4)))
            }
        }
    }
}

/// Bytes as a list of choices. Past their end every choice is the first.
private struct Choices {
    private let bytes: [UInt8]
    private var next = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { next >= bytes.count }

    /// A number from 0 up to, but not including, `count`, which is at most 256.
    mutating func below(_ count: Int) -> Int {
        guard next < bytes.count else { return 0 }
        next += 1
        return Int(bytes[next - 1]) % max(count, 1)
    }

    mutating func oneIn(_ count: Int) -> Bool { below(count) == count - 1 }
}
