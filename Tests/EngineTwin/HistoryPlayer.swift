package import SyncModel

/// How an engine's answer differs from the twin's.
package struct Difference: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Plays a history to an engine and to a twin and compares them after every step.
package final class HistoryPlayer<Tested: CollectionEngine> {
    package private(set) var tested: Tested
    package let twin = Twin()
    /// The steps played so far.
    package private(set) var steps: [HistoryStep] = []
    private var tally = HistoryTally()

    /// What came of the transactions so far.
    package var result: HistoryTally {
        var result = tally
        result.fired = twin.fired
        return result
    }

    /// How many transactions were played.
    package var transactionCount: Int { tally.transactions }

    package init(_ tested: Tested = Tested()) { self.tested = tested }

    package func play(_ step: HistoryStep) throws(Difference) {
        steps.append(step)
        switch step {
        case .submit(let transaction, let author): try submit(transaction, author)
        case .advanceHorizon(let revision):
            tested.advanceHorizon(to: revision)
            twin.advanceHorizon(to: revision)
        case .reload:
            do {
                tested = try tested.reloaded()
            } catch {
                throw Difference("the engine can't be read again: \(error)")
            }
        case .compare(let from, let to): try compareBatch(from, to)
        }
        tested.checkInvariants()
        try compareState()
    }

    // MARK: Transactions

    private enum Outcome: Equatable {
        case accepted(Commit)
        case refused(Rejection.Code, Int?)
    }

    private func outcome(
        _ engine: some CollectionEngine, _ transaction: ListTransaction, _ author: Identifier
    ) -> Outcome {
        do throws(Rejection) {
            return .accepted(try engine.submit(transaction, by: author))
        } catch {
            return .refused(error.code, error.operation)
        }
    }

    private func submit(_ transaction: ListTransaction, _ author: Identifier) throws(Difference) {
        let expected = outcome(twin, transaction, author)
        tested.readAhead(transaction)
        let actual = outcome(tested, transaction, author)
        count(expected)
        guard actual == expected else {
            throw Difference("the engine answers \(actual), the twin \(expected)")
        }
    }

    private func count(_ outcome: Outcome) {
        switch outcome {
        case .accepted(let commit):
            tally.accepted += 1
            for lost in commit.superseded { tally.superseded[lost.reason, default: 0] += 1 }
        case .refused(let code, _): tally.refused[code, default: 0] += 1
        }
    }

    // MARK: State

    private func compareState() throws(Difference) {
        guard tested.revision == twin.revision, tested.horizon == twin.horizon else {
            throw Difference(
                "the engine is at \(tested.revision), horizon \(tested.horizon), "
                    + "the twin at \(twin.revision), horizon \(twin.horizon)")
        }
        try compare(tested.snapshot(), twin.snapshot(), "the state")
    }

    private func compare(
        _ actual: Snapshot?, _ expected: Snapshot?, _ what: String
    ) throws(Difference) {
        guard actual != expected else { return }
        throw Difference(
            "\(what) of the engine is\n\(actual.map(\.text) ?? "none")\n"
                + "and of the twin\n\(expected.map(\.text) ?? "none")")
    }

    /// Compares what lies between two revisions, and their states, and where things are now.
    private func compareBatch(_ from: Revision, _ to: Revision) throws(Difference) {
        try compare(tested.snapshot(at: from), twin.snapshot(at: from), "the state at \(from)")
        try compare(tested.snapshot(at: to), twin.snapshot(at: to), "the state at \(to)")
        try comparePaths()
        let batch = tested.batch(from: from, to: to)
        guard from <= to, let old = twin.snapshot(at: from), let new = twin.snapshot(at: to) else {
            guard batch == nil else { throw Difference("there is a batch \(from) to \(to)") }
            return
        }
        tally.batches += 1
        guard let batch else { throw Difference("there is no batch \(from) to \(to)") }
        do throws(Illegality) {
            let result = try LegalityChecker.apply(batch, to: old)
            guard result == new else {
                throw Illegality("it leads to\n\(result.text)\nand not to\n\(new.text)")
            }
            try MinimalityChecker.check(batch, twin)
        } catch {
            throw Difference("the batch \(from) to \(to) is wrong: \(error)\n\(batch)")
        }
    }

    private func comparePaths() throws(Difference) {
        let ids = Array(twin.knownItems)
        let paths = ids.map { twin.path(ofItem: $0) }
        for (id, path) in zip(ids, paths) where tested.path(ofItem: id) != path {
            throw Difference("the engine has \(id) not at \(String(describing: path))")
        }
        guard tested.paths(ofItems: ids) == paths else {
            throw Difference("the engine has items elsewhere when asked for all at once")
        }
        let places = paths.compactMap { $0 } + [ItemPath(section: 0, item: 1 << 40)]
        let items = places.map { twin.item(at: $0) }
        for (place, item) in zip(places, items) where tested.item(at: place) != item {
            throw Difference("the engine has not \(String(describing: item)) at \(place)")
        }
        guard tested.items(at: places) == items else {
            throw Difference("the engine has other items when asked for all at once")
        }
    }
}

extension Snapshot {
    /// The state, with one line for each section.
    package var text: String {
        sections.map { state in
            "  \(state.section.id): \(state.items.map(\.id.text).joined(separator: " "))"
        }.joined(separator: "\n") + "\n  \(self)"
    }
}

/// What came of the transactions of some histories.
package struct HistoryTally: Sendable {
    package var accepted = 0
    package var batches = 0
    package var refused: [Rejection.Code: Int] = [:]
    package var superseded: [Superseded.Reason: Int] = [:]
    package var fired: [Rule: Int] = [:]

    package init() {}

    /// How many transactions there were.
    package var transactions: Int { accepted + refused.values.reduce(0, +) }

    package mutating func add(_ other: HistoryTally) {
        accepted += other.accepted
        batches += other.batches
        refused.merge(other.refused, uniquingKeysWith: +)
        superseded.merge(other.superseded, uniquingKeysWith: +)
        fired.merge(other.fired, uniquingKeysWith: +)
    }
}
