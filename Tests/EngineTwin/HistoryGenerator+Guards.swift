import SeededRandom
import SyncModel

extension HistoryGenerator {
    /// Gives some of a transaction's operations guards, and lets some transactions with guards ask
    /// for all of their operations. Some updates are set back, since guards ask for that.
    mutating func guarded(_ transaction: ListTransaction, _ twin: Twin) -> ListTransaction {
        guard climate.guardPercent > 0 else { return transaction }
        var transaction = transaction
        transaction.operations += setBacks(of: transaction.operations, twin)
        transaction.operations += questionAboutSetBack()
        for index in transaction.operations.indices
        where guardRandom.chance(climate.guardPercent) {
            if case .guarded = transaction.operations[index] { continue }
            let operation = transaction.operations[index]
            let since = revision(of: operation, transaction.base, twin)
            transaction.operations[index] = .guarded(operation, by: condition(since: since))
        }
        transaction.isAllOrNothing = guardRandom.chance(transaction.hasGuards ? 20 : 1)
        return transaction
    }

    /// An update, guarded by a content that was changed and set back since.
    private mutating func questionAboutSetBack() -> [ListOperation] {
        guard let asked = sentSetBack, guardRandom.chance(50) else { return [] }
        sentSetBack = nil
        var condition = Guard(since: asked.before)
        condition.content = true
        return [.guarded(asked.update, by: condition)]
    }

    /// Updates that set back what a transaction's own updates change, or those of earlier ones.
    private mutating func setBacks(
        of operations: [ListOperation], _ twin: Twin
    ) -> [ListOperation] {
        let now = twin.snapshot()
        var atOnce: [ListOperation] = []
        for case .update(let id, let patch) in operations where guardRandom.chance(10) {
            let items = now.sections.flatMap(\.items)
            guard let item = items.first(where: { $0.id == id }) else { continue }
            let names = patch.set.map(\.name) + patch.unset
            let former = item.content.fields.filter { names.contains($0.name) }
            let missing = names.filter { name in !former.contains { $0.name == name } }
            let setBack = ListOperation.update(id, ItemPatch(set: former, unset: missing))
            if guardRandom.chance(50) {
                atOnce.append(setBack)
            } else {
                laterSetBacks.append(SetBack(update: setBack, before: twin.revision))
            }
        }
        if guardRandom.chance(30), let later = laterSetBacks.popLast() {
            atOnce.append(later.update)
            sentSetBack = later
        }
        return atOnce
    }

    /// A revision for a guard: mostly one at which something happened to the operation's thing, the
    /// one before that, or the base. Few are below the horizon or above the base, and very few
    /// above the room's revision.
    private mutating func revision(
        of operation: ListOperation, _ base: Revision, _ twin: Twin
    ) -> Revision {
        let horizon = min(twin.horizon, base)
        switch guardRandom.below(100) {
        case 0:
            let last = twin.revision
            return guardRandom.chance(50) ? last + 1 : base + min(1, last - min(base, last))
        case 1..<6: return horizon - min(horizon, Revision(1 + guardRandom.below(3)))
        case 6..<12: return horizon
        case 12..<25: return horizon + Revision(guardRandom.below(Int(base - horizon) + 1))
        case 25..<70:
            let touches = twin.touches(ofThingOf: operation)
                .filter { (horizon...base).contains($0) }
            guard let touch = guardRandom.pick(touches) else { return base }
            return touch - min(touch, Revision(guardRandom.below(2)))
        default: return base
        }
    }

    /// What a guard of a revision covers.
    mutating func condition(since revision: Revision) -> Guard {
        var condition = Guard(since: revision)
        condition.place = guardRandom.chance(45)
        condition.content = guardRandom.chance(35)
        guard guardRandom.chance(45) else { return condition }
        let count = guardRandom.chance(3) ? Guard.maximumFields : 1 + guardRandom.below(3)
        // No item has a field f3.
        condition.fields = (0..<count).map { _ in name("f", number: guardRandom.below(4)) }
        return condition
    }
}

/// An update that gives an item the content that it had.
struct SetBack {
    let update: ListOperation
    /// The revision before the change that it takes back.
    let before: Revision
}
