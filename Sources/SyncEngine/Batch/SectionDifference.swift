import SyncModel
import SyncTree

/// How the list of sections differs between two revisions.
struct SectionDifference {
    private let engine: Engine
    private let view: OrderView
    private let touched: TouchedSequence
    /// The old and the new node of each touched section.
    private var oldNodes: [ThingID: TouchedNode] = [:]
    private var newNodes: [ThingID: TouchedNode] = [:]
    private var relocations: [Relocation] = []
    private var inserted: [TouchedNode] = []
    private var deleted: [TouchedNode] = []
    private var deletedPositions: [ThingID: Int] = [:]
    private var touchedThings: Set<ThingID> = []
    /// For each deleted section, in the order of old indices: the new index of the section that it
    /// stands directly behind until stage 4; -1 for the start. Ascending.
    private var anchors: [Int] = []

    /// How many sections there are at `to`.
    var newCount: Int { touched.newCount }

    init(_ view: OrderView, _ nodes: [TouchedNode]) {
        engine = view.engine
        self.view = view
        touched = TouchedSequence(
            nodes[...], liveCount: view.liveCount(view.engine.sectionSequence))
        for node in touched.nodes {
            if node.isOld { oldNodes[node.thing] = node }
            if node.isNew { newNodes[node.thing] = node }
        }
        for node in touched.nodes {
            if node.isNew, !node.isOld {
                if let old = oldNodes[node.thing] {
                    relocations.append(Relocation(old: old, new: node))
                } else {
                    inserted.append(node)
                }
            } else if node.isOld, newNodes[node.thing] == nil {
                deleted.append(node)
            }
        }
        Relocation.keepLongestRun(&relocations[...])
        touchedThings = Set(touched.nodes.map(\.thing))
        for (position, node) in deleted.enumerated() { deletedPositions[node.thing] = position }
        findAnchors()
    }

    /// Finds for each deleted section the nearest section before it that stays, in its node or in
    /// order. Each of these two kinds has the same order at both revisions, so one pass over each
    /// is enough.
    private mutating func findAnchors() {
        let newcomers = touched.nodes.filter { $0.isNew && !$0.isOld }
        let ordered = relocations.filter(\.staysInOrder)
        var passedNewcomers = 0
        var passedOrdered = 0
        for node in deleted {
            var anchor = -1
            if node.stayingBefore > 0 {
                // The new index of that section: `number` sections before it stay in their node,
                // and some are newcomers.
                let number = node.stayingBefore - 1
                while passedNewcomers < newcomers.count,
                    newcomers[passedNewcomers].stayingBefore <= number
                {
                    passedNewcomers += 1
                }
                anchor = number + passedNewcomers
            }
            while passedOrdered < ordered.count,
                ordered[passedOrdered].old.oldIndex < node.oldIndex
            {
                passedOrdered += 1
            }
            if passedOrdered > 0 { anchor = max(anchor, ordered[passedOrdered - 1].new.newIndex) }
            anchors.append(anchor)
        }
    }

    // MARK: Indices

    /// A section's index at `from`, `nil` if it did not live then.
    func oldIndex(of section: ThingID) -> Int? {
        if let node = oldNodes[section] { return node.oldIndex }
        return untouchedIndices(of: section)?.old
    }

    /// A section's index at `to`, `nil` if it did not live then.
    func newIndex(of section: ThingID) -> Int? {
        if let node = newNodes[section] { return node.newIndex }
        return untouchedIndices(of: section)?.new
    }

    /// The sequence of a touched section's items at `to`.
    func newSequence(of section: ThingID) -> OrderTree.SequenceID? {
        newNodes[section].map { engine.nodes[$0.node].sequence }
    }

    /// A section's index at `from`, if it lived then and at `to`.
    func indexIfAtBoth(_ section: ThingID) -> Int? {
        newIndex(of: section) == nil ? nil : oldIndex(of: section)
    }

    private func untouchedIndices(of section: ThingID) -> (old: Int, new: Int)? {
        // If a section has a touched node, its nodes at `from` and at `to` are touched too: a node
        // that lived all the time would be its only one since.
        let node = view.lastNode(of: section)
        guard !touchedThings.contains(section), view.wasAlive(node) else { return nil }
        return touched.indices(ofUntouched: view.locate(node))
    }

    /// A section's index after stage 2: sections are at their new places, and those that stage 4
    /// deletes are still there.
    func stagedIndex(of section: ThingID) -> Int? {
        if let index = newIndex(of: section) { return stagedIndex(new: index) }
        guard let position = deletedPositions[section] else { return nil }
        return anchors[position] + 1 + position
    }

    private func stagedIndex(new index: Int) -> Int {
        var low = 0
        var high = anchors.count
        while low < high {
            let middle = (low + high) / 2
            if anchors[middle] < index { low = middle + 1 } else { high = middle }
        }
        return index + low
    }

    // MARK: Lists

    /// Lists what stage 2 and stage 4 do.
    func list(
        _ structure: inout Stage, _ removal: inout Stage, section: (ThingID) -> ListSection
    ) {
        for node in inserted {
            structure.insertSections.append(
                .init(index: stagedIndex(new: node.newIndex), section: section(node.thing)))
        }
        for relocation in relocations where !relocation.staysInOrder {
            structure.moveSections.append(
                .init(
                    from: relocation.old.oldIndex,
                    to: stagedIndex(new: relocation.new.newIndex)))
        }
        for (position, anchor) in anchors.enumerated() {
            removal.deleteSections.append(anchor + 1 + position)
        }
    }
}
