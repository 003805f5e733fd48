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
            forget(journal.entries(horizon + 1...last).count)
            journal.dropRevisions(Int(last - horizon))
            horizon = last
        }
    }

    /// Forgets the first entries above the horizon. Those that will be forgotten after each, now or
    /// later, are brought nearer, link by link: what a stage asks for, the next one reads some entries
    /// later.
    private func forget(_ count: Int) {
        let lead = 8
        let entries = journal.entries(after: horizon)
        for index in 0..<count {
            let first = index + 4 * lead
            if first < entries.count { readRecord(entries[first]) }
            let second = index + 3 * lead
            if second < entries.count { readThing(entries[second]) }
            let third = index + 2 * lead
            if third < entries.count { readName(entries[third]) }
            let fourth = index + lead
            if fourth < entries.count { readSlot(entries[fourth]) }
            forget(entries[index])
        }
    }

    @inline(__always)
    private func readRecord(_ entry: Journal.Entry) {
        if let version = entry.version {
            versions.prefetchRecord(version)
        } else if entry.isDeath, let node = entry.node {
            nodes.prefetchRecord(node)
            tree.prefetchLeafNumber(of: node)
        }
    }

    @inline(__always)
    private func readThing(_ entry: Journal.Entry) {
        if let version = entry.version {
            blobs.prefetchBlob(versions[version].body)
        } else if entry.isDeath, let node = entry.node {
            things.prefetchRecord(nodes[node].thing)
            tree.prefetchLeaf(of: node)
        }
    }

    @inline(__always)
    private func readName(_ entry: Journal.Entry) {
        guard entry.isDeath, let node = entry.node else { return }
        let thing = things[nodes[node].thing]
        if thing.node == node { blobs.prefetchBlob(thing.body) }
    }

    @inline(__always)
    private func readSlot(_ entry: Journal.Entry) {
        guard entry.isDeath, let node = entry.node else { return }
        let thing = things[nodes[node].thing]
        guard thing.node == node, !thing.isSection else { return }
        itemTable.prefetchSlot(itemTable.hash(Body(blobs.bytes(thing.body)).id))
    }

    private func forget(_ entry: Journal.Entry) {
        if let version = entry.version {
            forget(version: version)
        } else if entry.isDeath, let node = entry.node {
            forget(node: node)
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
