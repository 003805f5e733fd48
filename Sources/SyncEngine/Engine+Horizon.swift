package import SyncModel
import SyncTree

/// The horizon, and forgetting what is at or below it.
///
/// Moving the horizon is O(1), however much died below it. From then on no rule considers a node
/// that died at or below it (``isForgotten(_:)``), whether that node is swept or not. Sweeping
/// frees the memory of such nodes, and can happen at any time later. So a replay that sweeps
/// everything at once reaches the same state as a server that sweeps entry by entry.
extension Engine {
    /// How many revisions a room should keep above its horizon at most. An image with more than
    /// twice as many is refused: its journal takes eight bytes for each of them, also for those
    /// that touched nothing and take no byte of the image.
    package static let retainedRevisions: Revision = 1 << 23

    /// Moves the horizon to a revision, at most to the room's, and sweeps what is at or below it.
    /// The horizon never moves back.
    ///
    /// # Performance
    /// O(log n) for each node and O(1) for each content that is swept. Many revisions at once cost
    /// less each than one by one.
    package func advanceHorizon(to target: Revision) {
        moveHorizon(to: target)
        sweep(atMost: .max)
    }

    /// Moves the horizon as ``advanceHorizon(to:)`` does, and leaves the memory to
    /// ``sweep(atMost:)``. O(1).
    package func moveHorizon(to target: Revision) {
        let target = min(target, revision)
        guard horizon < target else { return }
        journal.dropRevisions(Int(target - horizon))
        horizon = target
        walks.removeAll()
        if !formerSequences.isEmpty { formerSequences.removeAll { $0.base < target } }
    }

    /// How many journal entries at or below the horizon are still to be swept.
    package var unsweptCount: Int { journal.unswept.count }

    /// How many journal entries the revisions above `base` have, up to `target`. About as many
    /// nodes and contents were touched there. O(1).
    package func entryCount(from base: Revision, to target: Revision) -> Int {
        let (base, target) = (max(base, horizon), min(target, revision))
        return base < target ? journal.entries(base + 1...target).count : 0
    }

    /// Frees the memory of what is forgotten, oldest first.
    ///
    /// - Parameter limit: how many journal entries to sweep at most.
    package func sweep(atMost limit: Int) {
        var left = limit
        while left > 0, !journal.unswept.isEmpty {
            let count = min(journal.unswept.count, left, 1 << 16)
            sweepEntries(count)
            journal.sweep(count)
            stepCount &+= 2 * count
            left -= count
        }
    }

    /// Sweeps the first entries. An entry leads to the memory that it frees over several links.
    /// Each stage prefetches one link for an entry further ahead, and the next stage reads it some
    /// entries later.
    private func sweepEntries(_ count: Int) {
        let lead = 8
        let entries = journal.unswept
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
        // The thing may still name this version. A reader of the number notices that the record is
        // another's.
        retainedBytes -= blobs.size(versions[version].body) + RetainedBytes.version
        blobs.remove(versions[version].body)
        versions.remove(version, leaving: .none)
    }

    private func forget(node: NodeID) {
        let record = nodes[node]
        let isSection = things[record.thing].isSection
        tree.remove(node, from: isSection ? sectionSequence : record.sequence)
        deadNodeCount -= 1
        retainedBytes -= RetainedBytes.node
        removeNodeRecord(node)
        if isSection, sectionNodeCounts[Int(record.sequence)] == 0 {
            // The items that were deleted with it were swept before it.
            tree.removeSequence(record.sequence)
            sectionOfSequence[Int(record.sequence)] = 0
        }
        if things[record.thing].node == node {
            retainedBytes -= blobs.size(things[record.thing].body) + RetainedBytes.thing
            removeThing(record.thing)
        }
    }

    /// Frees a node's number; the tree no longer has the node.
    func removeNodeRecord(_ node: NodeID) {
        let record = nodes[node]
        nodes.remove(node, leaving: .none)
        if things[record.thing].isSection { sectionNodeCounts[Int(record.sequence)] -= 1 }
    }
}
