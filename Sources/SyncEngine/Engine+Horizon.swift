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
            let last = min(target, horizon + 32)
            let entries = journal.entries(horizon + 1...last)
            readAhead(entries)
            for entry in entries {
                if let version = entry.version {
                    forget(version: version)
                } else if entry.isDeath, let node = entry.node {
                    forget(node: node)
                }
            }
            journal.dropRevisions(Int(last - horizon))
            horizon = last
        }
    }

    /// Brings nearer what forgetting the entries will read, one link further with each pass.
    private func readAhead(_ entries: ArraySlice<Journal.Entry>) {
        for entry in entries {
            if let version = entry.version {
                versions.prefetchRecord(version)
            } else if entry.isDeath, let node = entry.node {
                nodes.prefetchRecord(node)
                tree.prefetchLeafNumber(of: node)
            }
        }
        for entry in entries {
            if let version = entry.version {
                blobs.prefetchBlob(versions[version].body)
            } else if entry.isDeath, let node = entry.node {
                things.prefetchRecord(nodes[node].thing)
                tree.prefetchLeaf(of: node)
            }
        }
        for entry in entries where entry.isDeath {
            guard let node = entry.node else { continue }
            let thing = things[nodes[node].thing]
            if thing.node == node { blobs.prefetchBlob(thing.body) }
        }
        for entry in entries where entry.isDeath {
            guard let node = entry.node else { continue }
            let thing = things[nodes[node].thing]
            guard thing.node == node, !thing.isSection else { continue }
            itemTable.prefetchSlot(itemTable.hash(Body(blobs.bytes(thing.body)).id))
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
