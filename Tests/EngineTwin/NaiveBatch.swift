import SyncModel

/// A batch made from two whole states, by id, as "Batches" of `Protocol/merge-rules.md` says: legal
/// and with the fewest moves. Where several choices of moves are equally few it makes just one of
/// them.
struct NaiveBatch {
    let from: Moment
    let to: Moment
    let writes: Writes

    private struct Entry {
        let id: Identifier
        let node: Int
    }

    /// An item at `from`, with its place then.
    private struct OldItem {
        let section: Identifier
        let path: ItemPath
        let item: Item
    }

    private var oldSections: [Entry] { entries(from.snapshot.sections, from.sectionNodes) }
    private var newSections: [Entry] { entries(to.snapshot.sections, to.sectionNodes) }

    private func entries(_ states: [Snapshot.SectionState], _ nodes: [Int]) -> [Entry] {
        zip(states, nodes).map { Entry(id: $0.section.id, node: $1) }
    }

    private func items(_ moment: Moment, _ section: Int) -> [Entry] {
        zip(moment.snapshot.sections[section].items, moment.itemNodes[section])
            .map { Entry(id: $0.id, node: $1) }
    }

    /// The items of a state with their places, by id.
    private func places(_ snapshot: Snapshot) -> [Identifier: OldItem] {
        var places: [Identifier: OldItem] = [:]
        for (section, state) in snapshot.sections.enumerated() {
            for (index, item) in state.items.enumerated() {
                places[item.id] = OldItem(
                    section: state.section.id, path: ItemPath(section: section, item: index),
                    item: item)
            }
        }
        return places
    }

    // MARK: What stays

    /// The ids that keep their place: all in the same node at both, and of the others as many as
    /// keep one order.
    private static func staying(_ old: [Entry], _ new: [Entry]) -> Set<Identifier> {
        var newIndices: [Identifier: Int] = [:]
        for (index, entry) in new.enumerated() { newIndices[entry.id] = index }
        var common: [(id: Identifier, at: Int, isPinned: Bool)] = []
        for entry in old {
            guard let at = newIndices[entry.id] else { continue }
            common.append((entry.id, at, new[at].node == entry.node))
        }
        let candidates = common.enumerated().filter { index, candidate in
            common.enumerated().allSatisfy { other, pinned in
                !pinned.isPinned || other == index || (other < index) == (pinned.at < candidate.at)
            }
        }.map(\.element)
        var best: [(length: Int, previous: Int)] = []
        for (index, candidate) in candidates.enumerated() {
            var longest = (length: 1, previous: -1)
            for earlier in 0..<index
            where candidates[earlier].at < candidate.at && best[earlier].length >= longest.length {
                longest = (best[earlier].length + 1, earlier)
            }
            best.append(longest)
        }
        var staying: Set<Identifier> = []
        var at = best.indices.max { best[$0].length < best[$1].length } ?? -1
        while at >= 0 {
            staying.insert(candidates[at].id)
            at = best[at].previous
        }
        return staying
    }

    // MARK: Stages

    var batch: Batch {
        let middle = middleOrder()
        let stages = [
            reloadStage(), sectionStage(middle), itemStage(middle), deletionStage(middle),
        ]
        return Batch(
            from: from.snapshot.revision, to: to.snapshot.revision,
            stages: stages.filter { $0 != Stage() }, sections: to.snapshot.sections.count,
            counts: counts(stages[2], middle))
    }

    private func reloadStage() -> Stage {
        var stage = Stage()
        let (start, end) = (from.snapshot.revision, to.snapshot.revision)
        let newItems = places(to.snapshot)
        let written = writes.items(from: start, to: end)
        let writtenSections = writes.sections(from: start, to: end)
        for (section, state) in from.snapshot.sections.enumerated() {
            let new = to.snapshot.sections.first { $0.section.id == state.section.id }
            if let new, writtenSections.contains(state.section.id), new.section != state.section {
                stage.changedSections.append(.init(index: section, section: new.section))
            }
            for (index, item) in state.items.enumerated() where written.contains(item.id) {
                guard let new = newItems[item.id], new.item != item else { continue }
                let path = ItemPath(section: section, item: index)
                stage.reloads.append(.init(path: path, item: new.item))
            }
        }
        return stage
    }

    /// The sections as stage 2 leaves them: the new order, and what will be deleted right behind
    /// the section before it that stays.
    private func middleOrder() -> [Identifier] {
        let (old, new) = (oldSections, newSections)
        let staying = NaiveBatch.staying(old, new)
        var middle = new.map(\.id)
        var at = 0
        for entry in old {
            if staying.contains(entry.id) {
                at = (middle.firstIndex(of: entry.id) ?? -1) + 1
            } else if !new.contains(where: { $0.id == entry.id }) {
                middle.insert(entry.id, at: at)
                at += 1
            }
        }
        return middle
    }

    private func sectionStage(_ middle: [Identifier]) -> Stage {
        var stage = Stage()
        let (old, new) = (oldSections, newSections)
        let staying = NaiveBatch.staying(old, new)
        for (index, id) in middle.enumerated() where !staying.contains(id) {
            guard let newIndex = new.firstIndex(where: { $0.id == id }) else { continue }
            if let oldIndex = old.firstIndex(where: { $0.id == id }) {
                stage.moveSections.append(.init(from: oldIndex, to: index))
            } else {
                let section = to.snapshot.sections[newIndex].section
                stage.insertSections.append(.init(index: index, section: section))
            }
        }
        return stage
    }

    private func itemStage(_ middle: [Identifier]) -> Stage {
        var stage = Stage()
        let (old, new) = (oldSections, newSections)
        let (oldItems, newItems) = (places(from.snapshot), places(to.snapshot))
        for (section, id) in middle.enumerated() {
            let oldIndex = old.firstIndex { $0.id == id }
            let newIndex = new.firstIndex { $0.id == id }
            let before = oldIndex.map { items(from, $0) } ?? []
            let after = newIndex.map { items(to, $0) } ?? []
            let staying = NaiveBatch.staying(before, after)
            if newIndex != nil {
                for (index, entry) in before.enumerated() where newItems[entry.id] == nil {
                    stage.deletes.append(ItemPath(section: section, item: index))
                }
            }
            for (index, entry) in after.enumerated() where !staying.contains(entry.id) {
                let path = ItemPath(section: section, item: index)
                if let source = oldItems[entry.id] {
                    let oldSection = middle.firstIndex(of: source.section) ?? 0
                    stage.moves.append(
                        .init(
                            from: ItemPath(section: oldSection, item: source.path.item), to: path))
                } else if let item = newItems[entry.id]?.item {
                    stage.inserts.append(.init(path: path, item: item))
                }
            }
        }
        return stage
    }

    private func deletionStage(_ middle: [Identifier]) -> Stage {
        var stage = Stage()
        let new = newSections
        stage.deleteSections = middle.indices.filter { index in
            !new.contains { $0.id == middle[index] }
        }
        return stage
    }

    private func counts(_ stage: Stage, _ middle: [Identifier]) -> [SectionCount] {
        let touched = Set(
            (stage.deletes + stage.inserts.map(\.path) + stage.moves.flatMap { [$0.from, $0.to] })
                .map { middle[$0.section] })
        return to.snapshot.sections.enumerated()
            .filter { touched.contains($1.section.id) }
            .map { SectionCount(section: $0, items: $1.items.count) }
    }
}
