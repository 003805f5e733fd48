import SyncTree

extension Engine {
    /// Forgets what died and what was replaced up to a revision. What is at or below the horizon, or
    /// above the room's revision, is clamped.
    ///
    /// # Performance
    /// O(log n) for each node and O(1) for each content that is forgotten.
    package func advanceHorizon(to target: Revision) {
        let target = min(target, revision)
        while horizon < target {
            let passed = horizon + 1
            forget(journal.entries(of: passed), of: passed)
            journal.dropFirstRevision()
            horizon = passed
        }
    }

    private func forget(_ entries: ArraySlice<Journal.Entry>, of revision: Revision) {
        for entry in entries {
            if entry & Journal.contentMark != 0 {
                forget(version: entry & ~Journal.contentMark)
            } else if nodes[entry].died == revision {
                // One born and died in this revision stands here twice; the second time it is gone.
                forget(node: entry)
            }
        }
    }

    private func forget(version: VersionID) {
        let record = versions[version]
        // The thing may go on naming it: who follows the number sees that it is another's.
        blobs.remove(record.body)
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
