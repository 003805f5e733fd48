import SyncTree

extension Engine {
    /// Forgets what died and what was replaced up to a revision. What is at or below the horizon, or
    /// above the room's revision, is clamped.
    ///
    /// # Performance
    /// O(log n) for each node and O(1) for each content that is forgotten. Many revisions at once cost
    /// less each than one by one.
    package func advanceHorizon(to target: Revision) {
        let target = min(target, revision)
        while horizon < target {
            let last = min(target, horizon + 1024)
            forget(journal.entries(horizon + 1...last))
            journal.dropRevisions(Int(last - horizon))
            horizon = last
        }
    }

    /// Forgets entry after entry. Each is brought nearer, link by link, while others before it are
    /// forgotten.
    private func forget(_ entries: ArraySlice<Journal.Entry>) {
        let lead = 8
        let first = entries.startIndex
        for step in 0..<(entries.count + 4 * lead) {
            for (stage, index) in zip(0..., stride(from: step, through: step - 4 * lead, by: -lead))
            where index >= 0 && index < entries.count {
                let entry = entries[first + index]
                if let version = entry.version {
                    pass(version: version, stage)
                } else if entry.isDeath, let node = entry.node {
                    pass(node: node, stage)
                }
            }
        }
    }

    private func pass(version: VersionID, _ stage: Int) {
        switch stage {
        case 0: versions.prefetchRecord(version)
        case 1: blobs.prefetchBlob(versions[version].body)
        case 4: forget(version: version)
        default: break
        }
    }

    private func pass(node: NodeID, _ stage: Int) {
        switch stage {
        case 0:
            nodes.prefetchRecord(node)
            tree.prefetchLeafNumber(of: node)
        case 1:
            things.prefetchRecord(nodes[node].thing)
            tree.prefetchLeaf(of: node)
        case 2:
            let thing = things[nodes[node].thing]
            if thing.node == node { blobs.prefetchBlob(thing.body) }
        case 3:
            let thing = things[nodes[node].thing]
            guard thing.node == node, !thing.isSection else { break }
            itemTable.prefetchSlot(itemTable.hash(Body(blobs.bytes(thing.body)).id))
        default: forget(node: node)
        }
    }

    private func forget(version: VersionID) {
        // The thing may go on naming it: who follows the number sees that it is another's.
        blobs.remove(versions[version].body)
        versions.remove(version, leaving: .none)
    }

    private func forget(node: NodeID) {
        let record = nodes[node]
        let isSection = things[record.thing].isSection
        tree.remove(node, from: isSection ? sectionSequence : record.sequence)
        deadNodeCount -= 1
        removeNodeRecord(node)
        if isSection, sectionNodeCounts[Int(record.sequence)] == 0 {
            // The items that went with it were forgotten before it.
            tree.removeSequence(record.sequence)
            sectionOfSequence[Int(record.sequence)] = 0
        }
        if things[record.thing].node == node { removeThing(record.thing) }
    }

    /// Gives a node's number back; the tree no longer has it.
    func removeNodeRecord(_ node: NodeID) {
        let record = nodes[node]
        nodes.remove(node, leaving: .none)
        if things[record.thing].isSection { sectionNodeCounts[Int(record.sequence)] -= 1 }
    }
}
