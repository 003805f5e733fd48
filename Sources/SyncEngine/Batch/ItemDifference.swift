import SyncModel
import SyncTree

/// How the items differ between two revisions, with indices as stage 3 of a batch needs them.
struct ItemDifference {
    private let composer: BatchComposer
    private var relocations: [Relocation] = []
    private var inserted: [TouchedNode] = []
    private var deleted: [TouchedNode] = []
    /// For each touched sequence, whether stage 3 changes something there.
    private var isChanged: [Bool]

    init(_ composer: BatchComposer) {
        self.composer = composer
        isChanged = Array(repeating: false, count: composer.sequences.count)
        var oldNodes: [TouchedNode] = []
        var newNodes: [TouchedNode] = []
        for sequence in composer.sequences {
            for node in sequence.nodes where node.isOld != node.isNew {
                if node.isOld { oldNodes.append(node) } else { newNodes.append(node) }
            }
        }
        let origins = ItemDifference.origins(of: newNodes, in: oldNodes)
        var isRelocated = Array(repeating: false, count: oldNodes.count)
        for (node, origin) in zip(newNodes, origins) {
            if let origin {
                relocations.append(Relocation(old: oldNodes[origin], new: node))
                isRelocated[origin] = true
            } else {
                inserted.append(node)
            }
        }
        deleted = oldNodes.indices.filter { !isRelocated[$0] }.map { oldNodes[$0] }
        keepOrderedRelocations()
    }

    /// For each node in `newNodes`, the index in `oldNodes` of the node in which its thing lived
    /// before.
    private static func origins(of newNodes: [TouchedNode], in oldNodes: [TouchedNode]) -> [Int?] {
        var origins = [Int?](repeating: nil, count: newNodes.count)
        if newNodes.isEmpty || oldNodes.isEmpty { return origins }
        var nodes = (oldNodes + newNodes).enumerated().map { index, node in
            KeyedNumber(key: UInt64(node.thing), number: UInt32(index))
        }
        // At either revision a thing lives in one node at most. The sort is stable, so the old node
        // comes first.
        nodes.sortByKey()
        for (old, new) in zip(nodes, nodes.dropFirst()) where old.key == new.key {
            origins[Int(new.number) - oldNodes.count] = Int(old.number)
        }
        return origins
    }

    private func section(of node: TouchedNode) -> ThingID {
        composer.engine.sectionOfSequence[Int(node.sequence)]
    }

    /// Marks the relocations within a section that need no move. They come sorted by their new
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
        for node in deleted {
            let section = places(of: node)
            guard section.new != nil, let index = section.staged else { continue }
            stage.deletes.append(ItemPath(section: index, item: node.oldIndex))
            noteChange(of: node)
        }
        for node in inserted {
            guard let path = newPath(of: node) else { continue }
            let body = engine.body(of: node.thing, at: composer.to)
            stage.inserts.append(.init(path: path, item: engine.item(body)))
            noteChange(of: node)
        }
        for relocation in relocations where !relocation.staysInOrder {
            let old = relocation.old
            guard let section = places(of: old).staged, let target = newPath(of: relocation.new)
            else { continue }
            stage.moves.append(
                .init(from: ItemPath(section: section, item: old.oldIndex), to: target))
            noteChange(of: old)
            noteChange(of: relocation.new)
        }
        stage.deletes.sort()
        stage.inserts.sort { $0.path < $1.path }
        stage.moves.sort { $0.to < $1.to }
    }

    private func newPath(of node: TouchedNode) -> ItemPath? {
        places(of: node).staged.map { ItemPath(section: $0, item: node.newIndex) }
    }

    private func places(of node: TouchedNode) -> SectionPlaces {
        composer.index(of: node.sequence).map { composer.sequences[$0].section }
            ?? SectionPlaces()
    }

    private mutating func noteChange(of node: TouchedNode) {
        if let index = composer.index(of: node.sequence) { isChanged[index] = true }
    }

    /// The item counts at `to` of the sections in which stage 3 changed something.
    func counts() -> [SectionCount] {
        let engine = composer.engine
        let changed = composer.sequences.indices.filter { isChanged[$0] }
        let sections = Set(
            changed.map { engine.sectionOfSequence[Int(composer.sequences[$0].sequence)] })
        return sections.compactMap { section in
            guard let index = composer.sections.newIndex(of: section) else { return nil }
            let sequence = composer.newSequence(of: section)
            let touched = composer.index(of: sequence).map { composer.sequences[$0] }
            let count = touched?.newCount ?? composer.view.liveCount(sequence)
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
