import SyncModel

extension TwinTransaction {
    // MARK: G8, G9

    /// Applies an operation if its guard has not changed; returns how it was lost, if it was.
    mutating func apply(
        _ inner: ListOperation, ifUnchanged condition: Guard
    ) throws(Rejection) -> Superseded? {
        if let lost = try lossBeforeGuard(inner) { return lost }
        if !mutates(.guardGoesBeforeForm) { try checkForm(of: inner) }
        let changed = try judge(condition, inner)
        if changed.isEmpty { return lost(try apply(inner)) }
        let asksForAll = transaction.isAllOrNothing && !mutates(.allIsIgnored)
        if asksForAll || mutates(.changedAlwaysConflicts) {
            fired.append(.allRefused)
            throw conflict()
        }
        noteLoss(of: inner)
        if mutates(.changedIsNoLoss) { return nil }
        return Superseded(operation: operation, reason: .changed, changed: changed)
    }

    private mutating func checkForm(of operation: ListOperation) throws(Rejection) {
        switch operation {
        case .insert(_, let to), .move(_, let to): try checkMeaning(to)
        default: break
        }
    }

    mutating func conflict() -> Rejection {
        if mutates(.conflictNamesTheLast) { nameTheLast() }
        return rejection(.conflict, "The guard of an operation has changed.")
    }

    /// What is lost for its guard changes no count (P3).
    private mutating func noteLoss(of lost: ListOperation) {
        let id = lost.thing.id
        let next = room.lastSerial + 1
        switch lost {
        case .insert, .insertSection:
            fired.append(.guardLosesInsert)
            if mutates(.lostInsertIsNotCounted) { itemsCountFrom[id] = next }
        case .delete:
            fired.append(.guardLosesDelete)
            if mutates(.lostForGuardTakesOut) { itemsCountFrom[id] = next }
            if mutates(.lostDeleteNames), let latest = room.knownLives(.item, id).last {
                room.lives[latest].deletion?.byDeleteSection = false
            }
        case .move(_, let to):
            let stays = to.position.anchor?.id == id
            fired.append(stays ? .guardLosesMoveBesideItself : .guardLosesMove)
            if mutates(.lostMoveTakesOut) { itemsCountFrom[id] = next }
        case .moveSection: fired.append(.guardLosesMoveSection)
        case .deleteSection:
            fired.append(.guardLosesDeleteSection)
            if mutates(.lostDeleteSectionTakesOut) { sectionsCountFrom[id] = next }
            if mutates(.lostDeleteSectionTakesContents) { contentsCountFrom[id] = next }
        case .update, .increment, .updateSection: fired.append(.guardLosesUpdate)
        case .guarded(let inner, _): noteLoss(of: inner)
        }
    }

    // MARK: G1, G7

    /// What has changed of what a guard covers.
    private mutating func judge(
        _ condition: Guard, _ operation: ListOperation
    ) throws(Rejection) -> GuardedChanges {
        // B3: the revision is of another room.
        if hasSeenNothing { return .horizon }
        if isAboveBase(condition) {
            fired.append(.guardAboveBase)
            throw rejection(.badBase, "The revision of the guard is above the base.")
        }
        if isBelowHorizon(condition) {
            fired.append(.guardBelowHorizon)
            if mutates(.guardBelowHorizonIsUnchanged) { return [] }
            return mutates(.guardBelowHorizonIsLife) ? .life : .horizon
        }
        if condition.revision == room.horizon { fired.append(.guardAtHorizon) }
        let since = moment(of: condition)
        let thing = GuardedThing(operation, since: since, in: before)
        let changed = changes(condition, thing)
        let withOwn = changes(condition, GuardedThing(operation, since: since, in: room))
        if withOwn != changed { fired.append(.guardOverOwnOperations) }
        note(condition, thing, changed)
        return mutates(.guardCountsOwnOperations) ? withOwn : changed
    }

    private func isAboveBase(_ condition: Guard) -> Bool {
        if mutates(.guardAboveRoomIsJudged) { return false }
        if mutates(.guardAboveBaseIsJudged) { return condition.revision > before.revision }
        return condition.revision > base
    }

    private func isBelowHorizon(_ condition: Guard) -> Bool {
        if mutates(.guardAtHorizonIsBelow), condition.revision == room.horizon { return true }
        return condition.revision < room.horizon
    }

    /// The revision that a guard compares with.
    private func moment(of condition: Guard) -> Revision {
        if mutates(.guardMeansBase) { return base }
        let isLess = mutates(.guardRevisionIsChange) && condition.revision > 0
        return isLess ? condition.revision - 1 : condition.revision
    }

    // MARK: G2 to G6

    /// What has changed of what a guard covers, within the horizon.
    private func changes(_ condition: Guard, _ thing: GuardedThing) -> GuardedChanges {
        if hasChangedLife(thing) {
            if mutates(.lifeIsNotCovered) { return [] }
            return mutates(.lifeListsTheRest) ? everything(condition).union(.life) : .life
        }
        guard let then = thing.then?.node, let now = thing.now?.node else {
            return mutates(.neitherHasAnotherPlace) && condition.place ? .place : []
        }
        var changed: GuardedChanges = []
        if hasChangedPlace(thing, from: then, to: now) { changed.insert(.place) }
        if hasChangedContent(thing) { changed.insert(.content) }
        let names = mutates(.fieldsAreListedByName) ? condition.fields.sorted() : condition.fields
        for (position, name) in names.enumerated() where hasChangedField(name, thing) {
            changed.insert(.field(at: position))
        }
        return report(changed, condition)
    }

    /// What is reported of what has changed: what the guard covers.
    private func report(_ changed: GuardedChanges, _ condition: Guard) -> GuardedChanges {
        let fields = condition.fields.indices.map { GuardedChanges.field(at: $0) }
        var covered = GuardedChanges(fields)
        if condition.place || mutates(.guardCoversPlace) { covered.insert(.place) }
        if condition.content || mutates(.guardCoversContent) { covered.insert(.content) }
        let found = changed.intersection(covered)
        if mutates(.changedListsUncovered), !found.isEmpty { return changed }
        if mutates(.changedListsFirstAlone), !found.isEmpty {
            return GuardedChanges(rawValue: found.rawValue & (0 &- found.rawValue))
        }
        return found
    }

    /// All that a guard covers besides the life.
    private func everything(_ condition: Guard) -> GuardedChanges {
        report(GuardedChanges(rawValue: .max).subtracting([.life, .horizon]), condition)
    }

    private func hasChangedLife(_ thing: GuardedThing) -> Bool {
        switch (thing.then?.node, thing.now?.node) {
        case (nil, nil): return mutates(.livedInBetweenHasChanged) && thing.hasLivedInBetween
        case (_?, nil): return !mutates(.deletionChangesNothing)
        case (nil, _?): return !mutates(.insertionChangesNothing)
        case (let then?, let now?):
            if mutates(.broughtBackIsAnotherLife), thing.isBroughtBack { return true }
            return then.life != now.life && !mutates(.anotherIncarnationIsTheSame)
        }
    }

    private func hasChangedPlace(
        _ thing: GuardedThing, from then: Node, to now: Node
    ) -> Bool {
        if mutates(.guardIgnoresOwnTransactions), now.author == author { return false }
        if mutates(.movedBackHasItsPlace), thing.isWhereItWas { return false }
        if mutates(.broughtBackHasItsPlace), thing.isBroughtBack { return false }
        if mutates(.neighbourMovesIt), !thing.isWhereItWas { return true }
        if mutates(.sectionMovesItsItems), thing.isSectionElsewhere { return true }
        return then.serial != now.serial
    }

    private func hasChangedContent(_ thing: GuardedThing) -> Bool {
        if mutates(.itemsAreContent), thing.hasOtherItems { return true }
        if mutates(.writtenHasChanged) { return thing.isWritten }
        let contents = contents(of: thing).map(parts)
        if mutates(.contentSetBackIsUnchanged) { return contents.first != contents.last }
        return contents.hasChanges
    }

    private func hasChangedField(_ name: Identifier, _ thing: GuardedThing) -> Bool {
        let contents = contents(of: thing)
        if mutates(.otherFieldsCount) { return contents.hasChanges }
        var values = contents.map { $0.value(of: name) }
        if mutates(.missingIsNull) { values = values.map { Optional($0 ?? Value.null) } }
        if mutates(.missingIsUnchanged) { values.removeAll { $0 == nil } }
        if mutates(.fieldSetBackIsUnchanged) { return values.first != values.last }
        return values.hasChanges
    }

    /// The content at the guard's revision and, behind it, what each later transaction left.
    private func contents(of thing: GuardedThing) -> [Life.Content] {
        thing.contents(
            without: mutates(.guardIgnoresOwnTransactions) ? author : nil,
            isEachWrite: mutates(.setBackAtOnceHasChanged))
    }

    // MARK: Mutants

    /// What counts as content, by its parts.
    private struct Parts: Equatable {
        var item: ItemParts
        var section: SectionParts
    }

    private func parts(_ content: Life.Content) -> Parts {
        var parts = Parts(item: content.item.parts, section: content.section.parts)
        if mutates(.kindIsNoContent) { parts.item.kind = nil }
        if mutates(.sizeIsNoContent) { parts.item.size = nil }
        if mutates(.supplementariesAreNoContent) { parts.section.supplementaries = [] }
        if mutates(.flagsAreNoContent) {
            parts.item.flags = .all
            parts.section.flags = .all
        }
        return parts
    }

    /// What an operation gives without its guard, for mutants that look at that first.
    private mutating func lossBeforeGuard(
        _ inner: ListOperation
    ) throws(Rejection) -> Superseded? {
        var trial = self
        if mutates(.refusalGoesBeforeGuard) { _ = try trial.apply(inner) }
        guard mutates(.lossGoesBeforeGuard), let reason = try? trial.apply(inner) else {
            return nil
        }
        self = trial
        return lost(reason)
    }

    /// Judges guards before the first operation. Only mutants do that.
    mutating func judgeAhead() throws(Rejection) {
        guard mutates(.guardAboveBaseGoesFirst) || mutates(.conflictGoesFirst) else { return }
        for (index, operation) in transaction.operations.enumerated() {
            guard case .guarded(let inner, let condition) = operation else { continue }
            self.operation = index
            if mutates(.guardAboveBaseGoesFirst), !hasSeenNothing, isAboveBase(condition) {
                throw rejection(.badBase, "The revision of the guard is above the base.")
            }
            if mutates(.conflictGoesFirst), transaction.isAllOrNothing {
                let changed = try judge(condition, inner)
                if !changed.isEmpty { throw conflict() }
            }
        }
    }

    /// Goes on to the last operation whose guard has changed. Only mutants do that.
    private mutating func nameTheLast() {
        for (index, operation) in transaction.operations.enumerated() {
            guard case .guarded(let inner, let condition) = operation else { continue }
            if let changed = try? judge(condition, inner), !changed.isEmpty {
                self.operation = index
            }
        }
    }
}

extension ListOperation {
    /// The item or section that an operation is about.
    var thing: (kind: ThingKind, id: Identifier) {
        switch self {
        case .insert(let item, _): (.item, item.id)
        case .delete(let id), .move(let id, _), .update(let id, _), .increment(let id, _, _):
            (.item, id)
        case .insertSection(let section, _): (.section, section.id)
        case .deleteSection(let id), .moveSection(let id, _), .updateSection(let id, _):
            (.section, id)
        case .guarded(let inner, _): inner.thing
        }
    }
}
