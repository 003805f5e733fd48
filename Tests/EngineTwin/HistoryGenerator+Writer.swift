import SeededRandom
package import SyncModel

extension HistoryGenerator {
    /// A transaction by an author that knows what the room has now, and no more. Some operations
    /// have guards, mostly of what the author sees.
    package mutating func transaction(
        base: Revision, holding state: Snapshot
    ) -> ListTransaction {
        var view = AuthorView(
            seen: state, now: state, isPastHorizon: false,
            knownItems: state.sections.flatMap(\.items).map(\.id),
            knownSections: state.sections.map(\.section.id))
        let count = random.pick(weighted: [1: 70, 2: 20, 4: 8, 12: 2]) ?? 1
        var transaction = ListTransaction(base: base, operations: [])
        for _ in 0..<count {
            let operation = operation(&view)
            let isGuarded = guardRandom.chance(climate.guardPercent)
            transaction.operations.append(
                isGuarded
                    ? .guarded(operation, by: condition(since: sight(of: state))) : operation)
        }
        transaction.isAllOrNothing = transaction.hasGuards && guardRandom.chance(20)
        return transaction
    }

    /// A revision that an author saw at some time: mostly the one that it sees now.
    private mutating func sight(of state: Snapshot) -> Revision {
        guard guardRandom.chance(30) else { return state.revision }
        let steps = guardRandom.chance(20) ? Int(clamping: state.revision) : guardRandom.below(20)
        return state.revision - min(state.revision, Revision(steps))
    }
}
