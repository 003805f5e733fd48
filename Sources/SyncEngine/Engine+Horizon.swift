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
    /// forgotten: what a stage asks for, the next one reads some entries later.
    private func forget(_ entries: ArraySlice<Journal.Entry>) {
        let lead = 8
        // A few at a time, so that what they ask for does not come all at once.
        let few = 2
        entries.withUnsafeBufferPointer { entries in
            func block(_ start: Int) -> Slice<UnsafeBufferPointer<Journal.Entry>> {
                entries[min(max(start, 0), entries.count)..<min(max(start + few, 0), entries.count)]
            }
            for start in stride(from: 0, to: entries.count + 4 * lead, by: few) {
                for entry in block(start) { readRecord(entry) }
                for entry in block(start - lead) { readThing(entry) }
                for entry in block(start - 2 * lead) { readName(entry) }
                for entry in block(start - 3 * lead) { readSlot(entry) }
                for entry in block(start - 4 * lead) { forget(entry) }
            }
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
