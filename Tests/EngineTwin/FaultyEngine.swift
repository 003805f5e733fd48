package import SyncModel

/// A twin with a planted fault. The property tests must find it; tests that can't fail prove
/// nothing.
package final class FaultyEngine: CollectionEngine {
    /// What it does wrong.
    package enum Fault: String, CaseIterable, Sendable {
        case takesBasesAsCurrent
        case ignoresTrails
        case countsIndicesFromOne
        case takesAuthorsAsOne
        case reportsNoLoss
        case remembersForEver
        case forgetsOneRevisionLess
        case losesReloads
        case listsTooManyMoves
        case movesByDeletingAndInserting
        case leavesCountsOut
        case listsWhatGoesWithItsSection
        case forgetsFlagsWhenReadAgain
        case ignoresGuards
        case appliesSomeForAll
    }

    private let twin: Twin
    private let fault: Fault?

    package init() {
        twin = Twin()
        fault = nil
    }

    package init(_ fault: Fault, twin: Twin = Twin()) {
        self.fault = fault
        self.twin = twin
    }

    package var revision: Revision { twin.revision }
    package var horizon: Revision { twin.horizon }

    package func submit(
        _ transaction: ListTransaction, by author: Identifier
    ) throws(Rejection) -> Commit {
        var transaction = transaction
        var author = author
        switch fault {
        case .takesBasesAsCurrent: transaction.base = max(transaction.base, revision)
        case .takesAuthorsAsOne:
            author = "author0"
        case .ignoresTrails, .countsIndicesFromOne:
            transaction.operations = transaction.operations.map(damaged)
        case .ignoresGuards: transaction.operations = transaction.operations.map(\.unguarded)
        case .appliesSomeForAll: transaction.isAllOrNothing = false
        default: break
        }
        var commit = try twin.submit(transaction, by: author)
        if fault == .reportsNoLoss { commit.superseded = [] }
        return commit
    }

    private func damaged(_ operation: ListOperation) -> ListOperation {
        switch operation {
        case .insert(let item, let to): .insert(item, to: damaged(to))
        case .move(let id, let to): .move(id, to: damaged(to))
        case .insertSection(let section, let to): .insertSection(section, to: damaged(to))
        case .moveSection(let id, let to): .moveSection(id, to: damaged(to))
        case .guarded(let inner, let condition): .guarded(damaged(inner), by: condition)
        default: operation
        }
    }

    private func damaged(_ placement: Placement) -> Placement {
        var placement = placement
        if fault == .ignoresTrails { placement.trail = [] }
        if fault == .countsIndicesFromOne, case .index(let number) = placement.position, number > 0
        {
            placement.position = .index(number - 1)
        }
        return placement
    }

    package func advanceHorizon(to revision: Revision) {
        switch fault {
        case .remembersForEver: break
        case .forgetsOneRevisionLess: twin.advanceHorizon(to: revision == 0 ? 0 : revision - 1)
        default: twin.advanceHorizon(to: revision)
        }
    }

    package func snapshot() -> Snapshot { twin.snapshot() }
    package func snapshot(at revision: Revision) -> Snapshot? { twin.snapshot(at: revision) }
    package func path(ofItem id: Identifier) -> ItemPath? { twin.path(ofItem: id) }
    package func item(at path: ItemPath) -> Item? { twin.item(at: path) }
    package func checkInvariants() { twin.checkInvariants() }

    package func reloaded() throws -> FaultyEngine {
        let copy = fault == .forgetsFlagsWhenReadAgain ? Twin() : twin.reloaded()
        return fault.map { FaultyEngine($0, twin: copy) } ?? FaultyEngine()
    }

    // MARK: Batches

    package func batch(from: Revision, to: Revision) -> Batch? {
        guard var batch = twin.batch(from: from, to: to), let old = twin.snapshot(at: from),
            let new = twin.snapshot(at: to)
        else { return nil }
        switch fault {
        case .losesReloads: batch.stages.removeAll { !$0.reloads.isEmpty }
        case .leavesCountsOut: batch.counts = []
        case .listsTooManyMoves: addMove(&batch, new)
        case .movesByDeletingAndInserting: splitMoves(&batch, new)
        case .listsWhatGoesWithItsSection: addDelete(&batch, old, new)
        default: break
        }
        return batch
    }

    /// Adds a move of the first item to the place where it is.
    private func addMove(_ batch: inout Batch, _ new: Snapshot) {
        guard batch.stages.isEmpty, let first = new.sections.first, !first.items.isEmpty
        else { return }
        var stage = Stage()
        let path = ItemPath(section: 0, item: 0)
        stage.moves = [.init(from: path, to: path)]
        batch.stages = [stage]
    }

    private func splitMoves(_ batch: inout Batch, _ new: Snapshot) {
        for index in batch.stages.indices where batch.stages.count == 1 {
            let moves = batch.stages[index].moves
            batch.stages[index].moves = []
            batch.stages[index].deletes = (batch.stages[index].deletes + moves.map(\.from)).sorted()
            batch.stages[index].inserts += moves.map { move in
                .init(path: move.to, item: new.sections[move.to.section].items[move.to.item])
            }
            batch.stages[index].inserts.sort { $0.path < $1.path }
        }
    }

    private func addDelete(_ batch: inout Batch, _ old: Snapshot, _ new: Snapshot) {
        let left = Set(new.sections.map(\.section.id))
        let items = Set(new.sections.flatMap { $0.items.map(\.id) })
        let gone = old.sections.firstIndex { state in
            !left.contains(state.section.id)
                && state.items.first.map { !items.contains($0.id) } == true
        }
        guard let gone else { return }
        var stage = Stage()
        stage.deletes = [ItemPath(section: gone, item: 0)]
        batch.stages.insert(stage, at: 0)
    }
}
