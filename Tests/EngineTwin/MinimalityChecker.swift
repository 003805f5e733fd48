package import SyncModel

/// Whether a legal batch lists no more than what differs between two states of the twin.
package struct MinimalityChecker {
    private let batch: Batch
    private let naive: Batch
    private let from: Moment
    private let to: Moment
    private let writes: Writes

    /// Checks a batch between two revisions that the twin remembers.
    package static func check(_ batch: Batch, _ twin: Twin) throws(Illegality) {
        guard let from = twin.moment(at: batch.from), let to = twin.moment(at: batch.to) else {
            throw Illegality("the twin forgot \(batch.from) or \(batch.to)")
        }
        let naive = NaiveBatch(from: from, to: to, writes: twin.writes).batch
        let checker = MinimalityChecker(
            batch: batch, naive: naive, from: from, to: to, writes: twin.writes)
        try checker.checkReloads()
        try checker.checkSections()
        try checker.checkItems()
        try checker.checkNothingPinnedMoves()
    }

    private func all<Entry>(_ list: KeyPath<Stage, [Entry]>, of batch: Batch) -> [Entry] {
        batch.stages.flatMap { $0[keyPath: list] }
    }

    /// Everything whose content differs is reloaded, and nothing that is not at both or was not
    /// written in between.
    private func checkReloads() throws(Illegality) {
        let (start, end) = (batch.from, batch.to)
        let reloaded = Set(all(\.reloads, of: batch).map(\.item.id))
        let needed = Set(all(\.reloads, of: naive).map(\.item.id))
        let itemsAfter = Set(to.snapshot.sections.flatMap(\.items).map(\.id))
        let allowed = writes.items(from: start, to: end).intersection(itemsAfter)
        try check(reloaded, includes: needed, within: allowed, "reloads")

        let changed = Set(all(\.changedSections, of: batch).map(\.section.id))
        let neededSections = Set(all(\.changedSections, of: naive).map(\.section.id))
        let sectionsAfter = Set(to.snapshot.sections.map(\.section.id))
        let allowedSections = writes.sections(from: start, to: end).intersection(sectionsAfter)
        try check(changed, includes: neededSections, within: allowedSections, "changedSections")
    }

    private func check(
        _ entries: Set<Identifier>, includes needed: Set<Identifier>,
        within allowed: Set<Identifier>, _ what: String
    ) throws(Illegality) {
        if let missing = needed.subtracting(entries).min() {
            throw Illegality("\(missing) is missing in the \(what)")
        }
        if let superfluous = entries.subtracting(allowed).min() {
            throw Illegality("\(superfluous) is superfluous in the \(what)")
        }
    }

    private func checkSections() throws(Illegality) {
        try check(
            Set(all(\.insertSections, of: batch).map(\.section.id)),
            are: Set(all(\.insertSections, of: naive).map(\.section.id)), "insertSections")
        let moves = all(\.moveSections, of: batch)
        let fewest = all(\.moveSections, of: naive).count
        guard moves.count == fewest else {
            throw Illegality("\(moves.count) sections move, \(fewest) would do")
        }
        try checkPlacesOfGoingSections(Set(moves.map(\.from)))
    }

    /// A section that goes in stage 4 did not move in stage 2, and stands right behind the section
    /// before it that stays.
    private func checkPlacesOfGoingSections(_ moved: Set<Int>) throws(Illegality) {
        let after = Set(to.snapshot.sections.map(\.section.id))
        let old = from.snapshot.sections.map(\.section.id)
        if let index = moved.first(where: { !after.contains(old[$0]) }) {
            throw Illegality("section \(old[index]) moves and is deleted afterwards")
        }
        let start = Batch(
            from: batch.from, to: batch.to, stages: firstTwoStages,
            sections: old.count + all(\.insertSections, of: batch).count)
        let middle = try LegalityChecker.apply(start, to: from.snapshot).sections
            .map(\.section.id)
        var expected: Identifier?
        for (index, id) in old.enumerated() where !moved.contains(index) {
            if !after.contains(id) {
                let at = middle.firstIndex(of: id) ?? 0
                guard (at == 0 ? nil : middle[at - 1]) == expected else {
                    throw Illegality("section \(id), to be deleted, is not behind what stays")
                }
            }
            expected = id
        }
    }

    private var firstTwoStages: [Stage] {
        batch.stages.filter { stage in
            stage.deletes.isEmpty && stage.inserts.isEmpty && stage.moves.isEmpty
                && stage.deleteSections.isEmpty
        }
    }

    private func checkItems() throws(Illegality) {
        let newIds = Set(to.snapshot.sections.flatMap(\.items).map(\.id))
        let oldIds = Set(from.snapshot.sections.flatMap(\.items).map(\.id))
        try check(
            Set(all(\.inserts, of: batch).map(\.item.id)), are: newIds.subtracting(oldIds),
            "inserts")
        let deletes = all(\.deletes, of: batch).count
        let fewestDeletes = all(\.deletes, of: naive).count
        guard deletes == fewestDeletes else {
            throw Illegality("\(deletes) items are deleted instead of \(fewestDeletes)")
        }
        let moves = all(\.moves, of: batch).count
        let fewestMoves = all(\.moves, of: naive).count
        guard moves == fewestMoves else {
            throw Illegality("\(moves) items move, \(fewestMoves) would do")
        }
    }

    private func check(
        _ entries: Set<Identifier>, are expected: Set<Identifier>, _ what: String
    ) throws(Illegality) {
        try check(entries, includes: expected, within: expected, what)
    }

    /// A thing that stands in the same node at both never moves.
    private func checkNothingPinnedMoves() throws(Illegality) {
        let stayed = Set(from.itemNodes.joined()).intersection(to.itemNodes.joined())
        let stayedSections = Set(from.sectionNodes).intersection(to.sectionNodes)
        for move in all(\.moveSections, of: batch)
        where stayedSections.contains(from.sectionNodes[move.from]) {
            throw Illegality("section \(move.from) moves, though nobody moved it")
        }
        let arrivals = all(\.moves, of: batch).map(\.to)
        let going = all(\.deleteSections, of: batch)
        for path in arrivals {
            let section = path.section - going.filter { $0 < path.section }.count
            if stayed.contains(to.itemNodes[section][path.item]) {
                throw Illegality("the item that comes to \(path) moves, though nobody moved it")
            }
        }
    }
}
