package import SyncModel

/// The naive twin of the merge engine. It follows `Protocol/merge-rules.md` as literally as
/// possible, with arrays of nodes and a loop over all of them wherever it looks for something.
///
/// It shares the model's types with the engine and nothing else. The property tests play the same
/// histories to both and compare after every step.
///
/// Its state is a ``TwinRoom`` – the sequences of nodes – and, for every revision within the
/// horizon, a ``Moment``: the whole room as it was then, with the node that each thing stood in.
///
/// 1. A transaction that is refused changes nothing: it is applied to a copy of the room.
/// 2. `moments` has exactly the revisions from the horizon to the current one.
/// 3. A node is in its sequence from its birth until the horizon reaches its death.
///
/// Everything is O(n) or worse for n nodes. Speed, memory and images are the engine's concern.
package final class Twin: CollectionEngine {
    private var room = TwinRoom()
    private var moments: [Revision: Moment] = [:]
    private var bases: [Identifier: Revision] = [:]
    /// The clause of the rules that it gets wrong on purpose, if any.
    private let mutation: Mutation?

    /// How often each branch of the rules was taken, in refused transactions too.
    package private(set) var fired: [Rule: Int] = [:]

    package convenience init() { self.init(nil) }

    /// Makes a twin that gets a clause of the rules wrong.
    package init(_ mutation: Mutation?) {
        self.mutation = mutation
        moments[0] = room.moment()
    }

    private init(copying other: Twin) {
        mutation = other.mutation
        room = other.room
        moments = other.moments
        bases = other.bases
    }

    package var revision: Revision { room.revision }
    package var horizon: Revision { room.horizon }

    package func submit(
        _ transaction: ListTransaction, by author: Identifier
    ) throws(Rejection) -> Commit {
        // B1
        if transaction.base > revision, mutation != .baseAboveIsAccepted {
            note(.baseAboveRevision)
            throw Rejection(code: .badBase, message: "The base is above the room's revision.")
        }
        if let earlier = bases[author], transaction.base < earlier,
            mutation != .baseBelowIsAccepted
        {
            note(.baseBelowEarlier)
            throw Rejection(code: .badBase, message: "The base is below an earlier one.")
        }
        var attempt = TwinTransaction(
            room: room, author: author, transaction, mutation: mutation)
        defer { attempt.fired.forEach(note) }
        do throws(Rejection) {
            try attempt.apply(transaction.operations)
        } catch {
            refuse(attempt, author)
            throw error
        }
        if mutation == .emptyTakesNoRevision, transaction.operations.isEmpty {
            return Commit(revision: revision)
        }
        room = attempt.room
        room.revision += 1
        bases[author] = transaction.base
        moments[revision] = room.moment()
        if mutation == .lossIsNotReported { attempt.superseded = [] }
        return Commit(revision: revision, superseded: attempt.superseded)
    }

    /// A refused transaction changes nothing, except in mutants.
    private func refuse(_ attempt: TwinTransaction, _ author: Identifier) {
        switch mutation {
        case .refusedBaseCounts: bases[author] = attempt.base
        case .refusedLeavesSome: room = attempt.room
        case .refusedTakesRevision:
            room.revision += 1
            moments[revision] = room.moment()
        default: break
        }
    }

    package func advanceHorizon(to revision: Revision) {
        let earlier = horizon
        let isLess = mutation == .horizonForgetsLess && revision > 0
        room.forget(to: min(isLess ? revision - 1 : revision, self.revision))
        for forgotten in earlier..<horizon { moments[forgotten] = nil }
    }

    package func snapshot() -> Snapshot { room.moment().snapshot }

    package func snapshot(at revision: Revision) -> Snapshot? { moments[revision]?.snapshot }

    /// A revision within the horizon, with the nodes its things stood in.
    package func moment(at revision: Revision) -> Moment? { moments[revision] }

    package func batch(from: Revision, to: Revision) -> Batch? {
        guard from <= to, let old = moments[from], let new = moments[to] else { return nil }
        return NaiveBatch(from: old, to: new, writes: room.writes).batch
    }

    /// What was written since the room was new.
    package var writes: Writes { room.writes }

    package func path(ofItem id: Identifier) -> ItemPath? {
        for (section, state) in snapshot().sections.enumerated() {
            if let item = state.items.firstIndex(where: { $0.id == id }) {
                return ItemPath(section: section, item: item)
            }
        }
        return nil
    }

    package func item(at path: ItemPath) -> Item? {
        let sections = snapshot().sections
        guard sections.indices.contains(path.section),
            sections[path.section].items.indices.contains(path.item)
        else { return nil }
        return sections[path.section].items[path.item]
    }

    package func reloaded() -> Twin { Twin(copying: self) }

    package func checkInvariants() { room.checkInvariants() }

    /// The items that have a node, dead or alive.
    package var knownItems: [Identifier] { room.knownNames(of: .item) }
    /// The sections that have a node, dead or alive.
    package var knownSections: [Identifier] { room.knownNames(of: .section) }

    /// How many nodes are dead and not yet forgotten.
    package var deadNodeCount: Int {
        room.sequences.values.joined().filter { $0.died != nil }.count
    }

    private func note(_ rule: Rule) { fired[rule, default: 0] += 1 }
}
