package import SyncModel

/// Why a collection view could not perform a batch.
package struct Illegality: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Applies a batch to a state, stage by stage. It refuses what `performBatchUpdates` would not do,
/// and what "Batches" of `Protocol/merge-rules.md` forbids.
///
/// It looks at a stage as a client does: it knows the state before, the lists, and nothing else.
package struct LegalityChecker {
    private(set) var sections: [Snapshot.SectionState]
    private let batch: Batch
    /// Sections, by their index after stage 2, in which stage 3 does something.
    private var touched: Set<Int> = []

    private init(_ snapshot: Snapshot, _ batch: Batch) {
        sections = snapshot.sections
        self.batch = batch
    }

    /// The state after the batch.
    package static func apply(_ batch: Batch, to snapshot: Snapshot) throws(Illegality) -> Snapshot
    {
        guard batch.from == snapshot.revision else {
            throw Illegality("the batch is from \(batch.from), the state is \(snapshot.revision)")
        }
        guard batch.from <= batch.to else { throw Illegality("the batch goes backwards") }
        var checker = LegalityChecker(snapshot, batch)
        try checker.applyStages()
        return Snapshot(revision: batch.to, sections: checker.sections)
    }

    private mutating func applyStages() throws(Illegality) {
        var last = 0
        for stage in batch.stages {
            let role = try LegalityChecker.role(of: stage)
            guard role > last else { throw Illegality("stage \(role) comes after stage \(last)") }
            last = role
            switch role {
            case 1: try reload(stage)
            case 2: try arrangeSections(stage)
            case 3: try arrangeItems(stage)
            default: try deleteSections(stage)
            }
        }
        if last < 4 { try checkCounts(deleted: []) }
    }

    /// Which of the four stages it is.
    private static func role(of stage: Stage) throws(Illegality) -> Int {
        var roles: [Int] = []
        if !stage.reloads.isEmpty || !stage.changedSections.isEmpty { roles.append(1) }
        if !stage.insertSections.isEmpty || !stage.moveSections.isEmpty { roles.append(2) }
        if !stage.deletes.isEmpty || !stage.inserts.isEmpty || !stage.moves.isEmpty {
            roles.append(3)
        }
        if !stage.deleteSections.isEmpty { roles.append(4) }
        guard let role = roles.first else { throw Illegality("a stage is empty") }
        guard roles.count == 1 else { throw Illegality("one stage does what belongs to \(roles)") }
        return role
    }

    // MARK: Stage 1

    private mutating func reload(_ stage: Stage) throws(Illegality) {
        try LegalityChecker.checkAscending(stage.reloads.map(\.path), "reloads")
        try LegalityChecker.checkAscending(stage.changedSections.map(\.index), "changedSections")
        for reload in stage.reloads {
            try checkInside(reload.path, "a reload")
            let old = sections[reload.path.section].items[reload.path.item]
            guard old.id == reload.item.id else {
                throw Illegality("the reload of \(reload.item.id) stands on \(old.id)")
            }
            sections[reload.path.section].items[reload.path.item] = reload.item
        }
        for change in stage.changedSections {
            try checkInside(change.index, "a changed section")
            let old = sections[change.index].section
            guard old.id == change.section.id else {
                throw Illegality("the change of section \(change.section.id) stands on \(old.id)")
            }
            sections[change.index].section = change.section
        }
    }

    // MARK: Stage 2

    private mutating func arrangeSections(_ stage: Stage) throws(Illegality) {
        let sources = stage.moveSections.map(\.from)
        try LegalityChecker.checkAscending(stage.insertSections.map(\.index), "insertSections")
        try LegalityChecker.checkAscending(stage.moveSections.map(\.to), "moveSections")
        try LegalityChecker.checkUnique(sources, "moved sections")
        for source in sources { try checkInside(source, "a moved section") }

        var targets = stage.insertSections.map {
            ($0.index, Snapshot.SectionState(section: $0.section))
        }
        targets += stage.moveSections.map { ($0.to, sections[$0.from]) }
        targets.sort { $0.0 < $1.0 }
        try LegalityChecker.checkUnique(targets.map(\.0), "targets of sections")
        var kept = sections.indices.filter { !sources.contains($0) }.map { sections[$0] }
        for (index, state) in targets {
            guard index >= 0, index <= kept.count else {
                throw Illegality("a section comes to \(index), out of range")
            }
            if kept.contains(where: { $0.section.id == state.section.id }) {
                throw Illegality("section \(state.section.id) comes twice")
            }
            kept.insert(state, at: index)
        }
        sections = kept
    }

    // MARK: Stage 3

    private mutating func arrangeItems(_ stage: Stage) throws(Illegality) {
        try LegalityChecker.checkAscending(stage.deletes, "deletes")
        try LegalityChecker.checkAscending(stage.inserts.map(\.path), "inserts")
        try LegalityChecker.checkAscending(stage.moves.map(\.to), "moves")
        let leaving = stage.deletes + stage.moves.map(\.from)
        try LegalityChecker.checkUnique(leaving, "deletes and sources of moves")
        for path in leaving { try checkInside(path, "a delete or the source of a move") }

        var targets = stage.inserts.map { ($0.path, $0.item) }
        targets += stage.moves.map { ($0.to, sections[$0.from.section].items[$0.from.item]) }
        targets.sort { $0.0 < $1.0 }
        try LegalityChecker.checkUnique(targets.map(\.0), "inserts and targets of moves")
        touched = Set((leaving + targets.map(\.0)).map(\.section))
        for path in leaving.sorted().reversed() {
            sections[path.section].items.remove(at: path.item)
        }
        for (path, item) in targets {
            try checkInside(path.section, "an item's new section")
            guard path.item >= 0, path.item <= sections[path.section].items.count else {
                throw Illegality("an item comes to \(path), out of range")
            }
            sections[path.section].items.insert(item, at: path.item)
        }
        try checkUniqueItems()
        try checkNothingListedThatGoes(stage)
    }

    /// Items that are deleted with their section are not listed, and nothing is put into such a
    /// section.
    private func checkNothingListedThatGoes(_ stage: Stage) throws(Illegality) {
        let going = Set(batch.stages.last?.deleteSections ?? [])
        let listed = stage.deletes + stage.inserts.map(\.path) + stage.moves.map(\.to)
        if let path = listed.first(where: { going.contains($0.section) }) {
            throw Illegality("\(path) is listed, and its section is deleted afterwards")
        }
    }

    private func checkUniqueItems() throws(Illegality) {
        var seen: Set<Identifier> = []
        for state in sections {
            for item in state.items where !seen.insert(item.id).inserted {
                throw Illegality("item \(item.id) is there twice")
            }
        }
    }

    // MARK: Stage 4

    private mutating func deleteSections(_ stage: Stage) throws(Illegality) {
        try LegalityChecker.checkAscending(stage.deleteSections, "deleteSections")
        for index in stage.deleteSections { try checkInside(index, "a deleted section") }
        for index in stage.deleteSections.reversed() { sections.remove(at: index) }
        try checkCounts(deleted: Set(stage.deleteSections))
    }

    /// `sections`, and `counts` for just the sections that stage 3 touched and that are still
    /// there.
    private func checkCounts(deleted: Set<Int>) throws(Illegality) {
        guard batch.sections == sections.count else {
            throw Illegality("there are \(sections.count) sections, not \(batch.sections)")
        }
        let expected = touched.subtracting(deleted)
            .map { index in index - deleted.filter { $0 < index }.count }
            .sorted()
            .map { SectionCount(section: $0, items: sections[$0].items.count) }
        guard batch.counts == expected else {
            throw Illegality("the counts are \(expected), not \(batch.counts)")
        }
    }

    // MARK: Indices

    private func checkInside(_ section: Int, _ what: String) throws(Illegality) {
        guard sections.indices.contains(section) else {
            throw Illegality("\(what) is at section \(section), out of range")
        }
    }

    private func checkInside(_ path: ItemPath, _ what: String) throws(Illegality) {
        try checkInside(path.section, what)
        guard sections[path.section].items.indices.contains(path.item) else {
            throw Illegality("\(what) is at \(path), out of range")
        }
    }

    private static func checkAscending<Index: Comparable>(
        _ indices: [Index], _ what: String
    ) throws(Illegality) {
        guard zip(indices, indices.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw Illegality("the \(what) do not ascend, or one is there twice")
        }
    }

    private static func checkUnique<Index: Hashable>(
        _ indices: [Index], _ what: String
    ) throws(Illegality) {
        guard Set(indices).count == indices.count else {
            throw Illegality("one index is there twice among the \(what)")
        }
    }
}
