import SeededRandom
package import SyncModel

/// Hostile transactions, which try to make a room work much. They are made from bytes that are
/// choices.
package struct HostileTransactions {
    package var choices: Choices
    /// How many items the room began with.
    package var itemCount = 0
    /// The bytes of the largest content so far, or some more.
    package private(set) var largestContent = 64
    /// How many operations there were so far, in all and on each item.
    private var operationCount = 0
    private var touches: [Identifier: Int] = [:]

    private static let sections = ["main", "s1", "s2"].map(named)

    package init(_ bytes: [UInt8], itemCount: Int = 0) {
        choices = Choices(bytes)
        self.itemCount = itemCount
    }

    /// The operations that make the room for these transactions.
    package static func room(items: Int) -> [ListOperation] {
        let made = sections.dropFirst().map { id in
            ListOperation.insertSection(ListSection(id: id), to: Placement())
        }
        return made
            + (0..<items).map { number in
                let section = sections[number % sections.count]
                return ListOperation.insert(
                    Item(id: item(number)), to: Placement(section: section))
            }
    }

    package static func named(_ text: String) -> Identifier {
        guard let name = try? Identifier(text) else { preconditionFailure("\(text) is a name") }
        return name
    }

    static func item(_ number: Int) -> Identifier { named("i\(number)") }

    /// The next transaction: operations of a few patterns, each many times, since what costs much
    /// at once costs more when it is repeated.
    package mutating func next(newest revision: Revision, horizon: Revision = 0) -> ListTransaction
    {
        let kind = choices.below(256)
        let behind = kind % 3 == 2 ? Int(revision) : choices.below(20)
        var operations: [ListOperation] = []
        for _ in 0...choices.below(3) {
            let count = 1 + choices.below(4) * choices.below(48)
            let pattern = Pattern(
                &choices, items: max(itemCount, 8), revisions: (horizon, revision))
            operations += (0..<count).map { pattern.operation($0) }
            largestContent = max(largestContent, pattern.contentBytes + 64)
        }
        var transaction = ListTransaction(
            base: revision - min(revision, Revision(behind)), operations: operations)
        transaction.isAllOrNothing = kind >= 192
        transaction.hasSeenNothing = transaction.base == 0 && kind % 64 >= 48
        return transaction
    }

    /// The most steps that the guards of a transaction may take, if it comes next. A room began
    /// with each of its items once.
    ///
    /// A guard visits the nodes and the contents that its thing was given, which its own
    /// transaction may have done. An item is given them by its own operations alone. A section is
    /// brought back by what is put into it.
    package mutating func guardSteps(of transaction: ListTransaction) -> Int {
        operationCount += transaction.operations.count
        for operation in transaction.operations { touches[operation.thing.id, default: 1] += 1 }
        return transaction.operations.reduce(0) { steps, operation in
            guard case .guarded(_, let condition) = operation else { return steps }
            let (kind, id) = operation.thing
            let visits = kind == .item ? touches[id, default: 1] : operationCount + 1
            let comparisons = 1 + min(condition.fields.count, Guard.maximumFields)
            return steps + 1 + visits + visits * comparisons * (1 + largestContent / 32)
        }
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
        let condition: Guard?

        init(
            _ choices: inout Choices, items: Int, revisions: (horizon: Revision, newest: Revision)
        ) {
            let number = choices.below(256)
            kind = number % 12
            section = HostileTransactions.sections[choices.below(3)]
            item = choices.below(256) * choices.below(8) % (items + 8)
            stride = choices.below(3)
            position = choices.below(6)
            trail = (0..<choices.below(8)).map { HostileTransactions.item($0) }
            contentBytes = choices.below(8) * choices.below(64) * 8
            let text = String(repeating: "x", count: contentBytes)
            content =
                (try? ItemContent(fields: [
                    Field(name: HostileTransactions.named("f"), value: .text(text))
                ]))
                ?? ItemContent()
            fresh = choices.below(256) * 1000
            condition = number < 216 ? nil : Pattern.condition(&choices, revisions)
        }

        /// A guard of any revision, mostly of the one that has the most behind it.
        private static func condition(
            _ choices: inout Choices, _ revisions: (horizon: Revision, newest: Revision)
        ) -> Guard {
            let (horizon, newest) = revisions
            let revision: Revision =
                switch choices.below(16) {
                case 0: 0
                case 1: horizon - min(horizon, 1)
                case 2: newest
                case 3: newest + 1
                case 4: .max
                case 5, 6, 7, 8, 9, 10: horizon
                default: newest - min(newest, Revision(choices.below(20)))
                }
            var condition = Guard(since: revision)
            let parts = choices.below(4)
            condition.place = parts & 1 != 0
            condition.content = parts & 2 != 0
            // Some are more than a guard may have. Only the first is in any content.
            condition.fields = (0..<choices.below(Guard.maximumFields + 4)).map {
                HostileTransactions.named($0 == 0 ? "f" : "g\($0)")
            }
            return condition
        }

        func operation(_ number: Int) -> ListOperation {
            let operation = unguarded(number)
            return condition.map { .guarded(operation, by: $0) } ?? operation
        }

        private func unguarded(_ number: Int) -> ListOperation {
            let id = HostileTransactions.item(item + number * stride)
            switch kind {
            case 0, 1, 2:
                let new = Item(
                    id: HostileTransactions.named("n\(fresh + number)"), content: content)
                return .insert(new, to: placement(number))
            case 3, 4, 5: return .move(id, to: placement(number))
            case 6: return .delete(id)
            case 7: return .deleteSection(section)
            case 8: return .moveSection(section, to: sectionPlacement(number))
            case 9: return .insertSection(ListSection(id: section), to: sectionPlacement(number))
            case 10: return .update(id, ItemPatch(set: content.parts.fields))
            default: return .insert(Item(id: id, content: content), to: placement(number))
            }
        }

        private func placement(_ number: Int) -> Placement {
            let anchor = HostileTransactions.item(item)
            return switch position {
            case 0: Placement(section: section, trail: trail)
            case 1: Placement(section: section, position: .after(anchor), trail: trail)
            case 2: Placement(section: section, position: .before(anchor), trail: trail)
            case 3: Placement(section: section, position: .index(UInt64(item + number * stride)))
            case 4:
                Placement(position: .after(HostileTransactions.item(item + number)), trail: trail)
            default: Placement(section: section, position: .index(0))
            }
        }

        private func sectionPlacement(_ number: Int) -> Placement {
            let anchor = HostileTransactions.sections[number % 3]
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
package struct Choices {
    private let bytes: [UInt8]
    private var next = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var isAtEnd: Bool { next >= bytes.count }

    /// A number from 0 up to, but not including, `count`, which is at most 256.
    package mutating func below(_ count: Int) -> Int {
        guard next < bytes.count else { return 0 }
        next += 1
        return Int(bytes[next - 1]) % max(count, 1)
    }

    package mutating func oneIn(_ count: Int) -> Bool { below(count) == count - 1 }
}
