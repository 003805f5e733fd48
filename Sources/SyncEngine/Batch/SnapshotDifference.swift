package import SyncModel

/// Compares two states of a room by id. It is for readers from beyond the horizon, for whom it is
/// not known what happened in between.
///
/// # Performance
/// O(n log n) for the n items of both states.
struct SnapshotDifference {
    private let old: Snapshot
    private let new: Snapshot
    private let oldSections: [Identifier: Int]
    private let newSections: [Identifier: Int]
    /// New indices of sections that need not move, by old index.
    private var keptSections: [Int: Int] = [:]
    /// For each deleted section, in the order of old indices: the new index of the kept section
    /// before it; -1 for the start.
    private var anchors: [Int] = []
    /// The places in ``anchors`` of the deleted sections, by old index.
    private var deletedPositions: [Int: Int] = [:]
    private var batch: Batch

    init(_ old: Snapshot, _ new: Snapshot) {
        self.old = old
        self.new = new
        oldSections = SnapshotDifference.indices(old.sections.map(\.section.id))
        newSections = SnapshotDifference.indices(new.sections.map(\.section.id))
        batch = Batch(from: old.revision, to: new.revision, sections: new.sections.count)
    }

    private static func indices(_ ids: [Identifier]) -> [Identifier: Int] {
        Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    consuming func compose() -> Batch {
        var content = Stage()
        var structure = Stage()
        var items = Stage()
        var removal = Stage()
        compareSections(&content, &structure, &removal)
        compareItems(&content, &items)
        batch.stages = [content, structure, items, removal].filter { $0 != Stage() }
        return batch
    }

    // MARK: Sections

    private mutating func compareSections(
        _ content: inout Stage, _ structure: inout Stage, _ removal: inout Stage
    ) {
        let survivors = new.sections.indices.compactMap { index in
            oldSections[new.sections[index].section.id].map { (old: $0, new: index) }
        }
        for position in LongestRun.positions(in: survivors.map(\.old)) {
            keptSections[survivors[position].old] = survivors[position].new
        }
        var anchor = -1
        for (index, state) in old.sections.enumerated() {
            if let kept = keptSections[index] { anchor = kept }
            guard let target = newSections[state.section.id] else {
                removal.deleteSections.append(anchor + 1 + anchors.count)
                deletedPositions[index] = anchors.count
                anchors.append(anchor)
                continue
            }
            if new.sections[target].section.content != state.section.content {
                content.changedSections.append(
                    .init(index: index, section: new.sections[target].section))
            }
        }
        for (index, state) in new.sections.enumerated() {
            let staged = stagedIndex(new: index)
            guard let source = oldSections[state.section.id] else {
                structure.insertSections.append(.init(index: staged, section: state.section))
                continue
            }
            if keptSections[source] == nil {
                structure.moveSections.append(.init(from: source, to: staged))
            }
        }
    }

    /// The index of a section after stage 2, where deleted sections are still there.
    private func stagedIndex(new index: Int) -> Int {
        var low = 0
        var high = anchors.count
        while low < high {
            let middle = (low + high) / 2
            if anchors[middle] < index { low = middle + 1 } else { high = middle }
        }
        return index + low
    }

    private func stagedIndex(old index: Int) -> Int? {
        if let target = newSections[old.sections[index].section.id] {
            return stagedIndex(new: target)
        }
        return deletedPositions[index].map { anchors[$0] + 1 + $0 }
    }

    // MARK: Items

    private mutating func compareItems(_ content: inout Stage, _ stage: inout Stage) {
        var oldPaths: [Identifier: ItemPath] = [:]
        for (section, state) in old.sections.enumerated() {
            for (item, value) in state.items.enumerated() {
                oldPaths[value.id] = ItemPath(section: section, item: item)
            }
        }
        var changed: Set<Int> = []
        let stagedOld = old.sections.indices.map { stagedIndex(old: $0) }
        for (section, state) in new.sections.enumerated() {
            let staged = stagedIndex(new: section)
            let source = oldSections[state.section.id]
            let kept = keptItems(of: state, from: source, oldPaths)
            for (item, value) in state.items.enumerated() {
                let target = ItemPath(section: staged, item: item)
                guard let path = oldPaths.removeValue(forKey: value.id) else {
                    stage.inserts.append(.init(path: target, item: value))
                    changed.insert(section)
                    continue
                }
                if old.sections[path.section].items[path.item].content != value.content {
                    content.reloads.append(.init(path: path, item: value))
                }
                guard !kept.contains(item), let origin = stagedOld[path.section] else { continue }
                let from = ItemPath(section: origin, item: path.item)
                stage.moves.append(.init(from: from, to: target))
                changed.insert(section)
                if let source = newSections[old.sections[path.section].section.id] {
                    changed.insert(source)
                }
            }
        }
        for path in oldPaths.values {
            guard let section = newSections[old.sections[path.section].section.id] else { continue }
            stage.deletes.append(ItemPath(section: stagedIndex(new: section), item: path.item))
            changed.insert(section)
        }
        content.reloads.sort { $0.path < $1.path }
        stage.deletes.sort()
        batch.counts = changed.sorted().map {
            SectionCount(section: $0, items: new.sections[$0].items.count)
        }
    }

    /// The indices of a section's items that were in it before and need not move.
    private func keptItems(
        of state: Snapshot.SectionState, from source: Int?, _ oldPaths: [Identifier: ItemPath]
    ) -> Set<Int> {
        let survivors = state.items.indices.compactMap { index -> (old: Int, new: Int)? in
            guard let path = oldPaths[state.items[index].id], path.section == source else {
                return nil
            }
            return (path.item, index)
        }
        return Set(LongestRun.positions(in: survivors.map(\.old)).map { survivors[$0].new })
    }
}

extension Batch {
    /// The batch from one state of a room to another, found by comparing the two.
    ///
    /// # Performance
    /// O(n log n) for the n items of both. ``Engine/batch(from:to:)`` costs only what changed.
    package static func difference(from old: Snapshot, to new: Snapshot) -> Batch {
        SnapshotDifference(old, new).compose()
    }
}
