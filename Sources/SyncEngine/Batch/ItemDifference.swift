import SyncTree

/// How the items differ between two revisions, listed as stage 3 of a batch sees them.
struct ItemDifference {
    private let composer: BatchComposer
    private var relocations: [Relocation] = []
    private var inserted: [TouchedNode] = []
    private var deleted: [TouchedNode] = []
    /// The sequences in which stage 3 changes something.
    private var changed: Set<OrderTree.SequenceID> = []

    init(_ composer: BatchComposer) {
        self.composer = composer
        var oldNodes: [ThingID: Int] = [:]
        for index in composer.touchedItems.indices {
            let node = composer.touchedItems[index]
            if node.isOld, !node.isNew { oldNodes[node.thing] = index }
        }
        for node in composer.touchedItems where node.isNew && !node.isOld {
            if let old = oldNodes.removeValue(forKey: node.thing) {
                relocations.append(Relocation(old: composer.touchedItems[old], new: node))
            } else {
                inserted.append(node)
            }
        }
        deleted = oldNodes.values.sorted().map { composer.touchedItems[$0] }
        keepOrderedRelocations()
    }

    private func section(of node: TouchedNode) -> ThingID {
        composer.engine.sectionOfSequence[Int(node.sequence)]
    }

    /// Finds the relocations within a section that need no move. They come sorted by their new
    /// sequence and index.
    private mutating func keepOrderedRelocations() {
        var within: [Relocation] = []
        var across: [Relocation] = []
        for relocation in relocations {
            if section(of: relocation.old) == section(of: relocation.new) {
                within.append(relocation)
            } else {
                across.append(relocation)
            }
        }
        var start = 0
        while start < within.count {
            var end = start + 1
            while end < within.count, within[end].new.sequence == within[start].new.sequence {
                end += 1
            }
            Relocation.keepLongestRun(&within[start..<end])
            start = end
        }
        relocations = within + across
    }

    /// Lists the deletes, inserts and moves.
    mutating func list(_ stage: inout Stage) {
        let engine = composer.engine
        for node in deleted where composer.sections.newIndex(of: section(of: node)) != nil {
            guard let section = composer.sections.stagedIndex(of: section(of: node)) else {
                continue
            }
            stage.deletes.append(ItemPath(section: section, item: node.oldIndex))
            changed.insert(node.sequence)
        }
        for node in inserted {
            guard let path = newPath(of: node) else { continue }
            let body = engine.body(of: node.thing, at: composer.to)
            stage.inserts.append(.init(path: path, item: engine.item(body)))
            changed.insert(node.sequence)
        }
        for relocation in relocations where !relocation.staysInOrder {
            let old = relocation.old
            guard let section = composer.sections.stagedIndex(of: section(of: old)),
                let target = newPath(of: relocation.new)
            else { continue }
            stage.moves.append(
                .init(from: ItemPath(section: section, item: old.oldIndex), to: target))
            changed.insert(old.sequence)
            changed.insert(relocation.new.sequence)
        }
        stage.deletes.sort()
        stage.inserts.sort { $0.path < $1.path }
        stage.moves.sort { $0.to < $1.to }
    }

    private func newPath(of node: TouchedNode) -> ItemPath? {
        composer.sections.stagedIndex(of: section(of: node))
            .map { ItemPath(section: $0, item: node.newIndex) }
    }

    /// How many items the sections have in the end in which something changed.
    func counts() -> [SectionCount] {
        let engine = composer.engine
        let sections = Set(changed.map { engine.sectionOfSequence[Int($0)] })
        return sections.compactMap { section in
            guard let index = composer.sections.newIndex(of: section) else { return nil }
            let sequence = composer.newSequence(of: section)
            let count = composer.sequences[sequence]?.newCount ?? composer.view.liveCount(sequence)
            return SectionCount(section: index, items: count)
        }.sorted { $0.section < $1.section }
    }
}

extension BatchComposer {
    /// The sequence that a section's items stood in at `to`.
    func newSequence(of section: ThingID) -> OrderTree.SequenceID {
        sections.newSequence(of: section) ?? engine.nodes[view.lastNode(of: section)].sequence
    }
}
