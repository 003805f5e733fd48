import SyncTree

/// Finding the place of an index that was counted in an older state.
extension Engine {
    /// The place after the first `index` things of a sequence, as the author counts them.
    ///
    /// # Performance
    /// O(log n) at the room's revision. Else, with k nodes of the sequence touched since the base,
    /// O(k log n) for the first transaction from that base and O(k), with some instructions for each,
    /// for those that follow; and O(k log n) for all but the first operation of a transaction.
    func place(
        at index: UInt64, in sequence: OrderTree.SequenceID, moving: ThingID, trail: MessageParts
    ) -> Place {
        if draft.isPastHorizon, let place = living(trail, in: sequence) { return place }
        let index = Int(clamping: index)
        if draft.isCurrent { return currentPlace(at: index, in: sequence, moving: moving) }
        let isFirst = draft.takenOut.isEmpty && draft.cleared.isEmpty && journal.isBetweenRevisions
        return isFirst
            ? formerPlace(at: index, in: sequence, moving: moving)
            : transformedPlace(at: index, in: sequence, moving: moving)
    }

    // MARK: The first operation of a transaction

    /// The place that a transaction's first operation means: nothing but the base matters.
    private func formerPlace(
        at index: Int, in sequence: OrderTree.SequenceID, moving: ThingID
    ) -> Place {
        let base = max(draft.base, horizon)
        let exceptions = exceptions(for: moving, in: sequence, base)
        let former = formerSequence(sequence, since: base)
        if index >= formerSequences[former].count(exceptions, self) { return end(of: sequence) }
        if index == 0 { return place(after: 0, in: sequence) }
        let node = formerSequences[former].node(at: index - 1, exceptions, self)
        return place(after: node, in: sequence)
    }

    /// What moves is not counted: neither where it was at the base nor where it is.
    private func exceptions(
        for moving: ThingID, in sequence: OrderTree.SequenceID, _ base: Revision
    ) -> [FormerSequence.Exception] {
        guard moving != 0 else { return [] }
        var node = things[moving].node
        while node != 0, nodes[node].born > base { node = previous(of: node) }
        guard node != 0, nodes[node].died > base, stands(node, in: sequence) else { return [] }
        return [FormerSequence.Exception(node: node, difference: -1)]
    }

    /// Which of the former sequences is the one at a base: one that is kept, or a new one in the place
    /// of the oldest.
    private func formerSequence(
        _ sequence: OrderTree.SequenceID, since base: Revision
    ) -> Int {
        let known = formerSequences.firstIndex { $0.base == base && $0.sequence == sequence }
        if let known {
            formerSequences[known].catchUp(self)
            return known
        }
        spend(journal.entries(after: base).count)
        let former = FormerSequence(of: sequence, since: base, self)
        if formerSequences.count < Engine.formerSequenceLimit {
            formerSequences.append(former)
            return formerSequences.count - 1
        }
        nextFormerSequence = (nextFormerSequence + 1) % Engine.formerSequenceLimit
        formerSequences[nextFormerSequence] = former
        return nextFormerSequence
    }

    // MARK: Later operations

    private func currentPlace(
        at index: Int, in sequence: OrderTree.SequenceID, moving: ThingID
    ) -> Place {
        let leftOut = liveNode(of: moving, in: sequence)
        let count = tree.liveCount(sequence) - (leftOut == 0 ? 0 : 1)
        if index >= count { return end(of: sequence) }
        if index == 0 { return place(after: 0, in: sequence) }
        var rank = index - 1
        if leftOut != 0, tree.rank(leftOut) <= rank { rank += 1 }
        guard let found = tree.descend(to: rank, in: sequence) else { return end(of: sequence) }
        let left = tree.handle(at: found)
        return Place(sequence: sequence, left: left, origin: left, found: found)
    }

    /// A node whose count differs between now and what the author counts.
    private struct Touched {
        var node: NodeID
        var position: OrderPosition
        var isLive: Bool
        var isCounted: Bool
    }

    /// Walks over the touched nodes in order with the running difference between the live rank and the
    /// author's count; between two touched nodes the difference stands.
    private func transformedPlace(
        at index: Int, in sequence: OrderTree.SequenceID, moving: ThingID
    ) -> Place {
        if draft.cleared.contains(sequence) {
            return place(at: index, amongNewIn: sequence, moving: moving)
        }
        let touched = touchedNodes(in: sequence, moving: moving)
        var difference = 0
        for entry in touched {
            difference += (entry.isCounted ? 1 : 0) - (entry.isLive ? 1 : 0)
        }
        if index >= tree.liveCount(sequence) + difference { return end(of: sequence) }
        if index == 0 { return place(after: 0, in: sequence) }
        let wanted = index - 1
        difference = 0
        for entry in touched {
            let before = entry.position.rank + difference
            if wanted < before { break }
            if wanted == before, entry.isCounted { return place(after: entry.node, in: sequence) }
            difference += (entry.isCounted ? 1 : 0) - (entry.isLive ? 1 : 0)
        }
        return place(after: tree.select(wanted - difference, in: sequence), in: sequence)
    }

    /// In a section that the transaction deleted only what it put there later counts.
    private func place(
        at index: Int, amongNewIn sequence: OrderTree.SequenceID, moving: ThingID
    ) -> Place {
        let counted = touchedNodes(in: sequence, moving: moving).filter {
            $0.isCounted && nodes[$0.node].born == draft.revision
        }
        if index >= counted.count { return end(of: sequence) }
        return place(after: index == 0 ? 0 : counted[index - 1].node, in: sequence)
    }

    private func touchedNodes(in sequence: OrderTree.SequenceID, moving: ThingID) -> [Touched] {
        let base = max(draft.base, horizon)
        var touched: [Touched] = []
        spend(journal.entries(after: base).count + draft.takenOut.list.count)
        if isOverSteps { return [] }
        for entry in journal.entries(after: base) {
            guard let node = entry.node, stands(node, in: sequence) else { continue }
            touched.append(touch(node, base, moving))
        }
        // What the author took out may have been made after its base and before the horizon: then
        // nothing has touched it since.
        for thing in draft.takenOut.list + [moving] {
            let node = liveNode(of: thing, in: sequence)
            if node != 0 { touched.append(touch(node, base, moving)) }
        }
        touched.sort { $0.position.key < $1.position.key }
        // A node that was born and died since the base was touched twice.
        var kept = 0
        for entry in touched.indices
        where kept == 0 || touched[kept - 1].node != touched[entry].node {
            touched[kept] = touched[entry]
            kept += 1
        }
        touched.removeLast(touched.count - kept)
        return touched
    }

    private func touch(_ node: NodeID, _ base: Revision, _ moving: ThingID) -> Touched {
        let record = nodes[node]
        let isLive = record.died == NodeRecord.alive
        let isCounted: Bool
        if record.thing == moving {
            isCounted = false
        } else if record.born == draft.revision {
            isCounted = isLive && !draft.deletedSections.contains(node)
        } else {
            isCounted =
                record.born <= base && record.died > base
                && !draft.takenOut.contains(record.thing)
        }
        return Touched(
            node: node, position: tree.locate(node), isLive: isLive, isCounted: isCounted)
    }

    /// Whether a node stands in a sequence.
    func stands(_ node: NodeID, in sequence: OrderTree.SequenceID) -> Bool {
        things[nodes[node].thing].isSection
            ? sequence == sectionSequence : nodes[node].sequence == sequence
    }

    private func liveNode(of thing: ThingID, in sequence: OrderTree.SequenceID) -> NodeID {
        guard thing != 0, isAlive(thing), stands(things[thing].node, in: sequence) else { return 0 }
        return things[thing].node
    }

    private func living(_ trail: MessageParts, in sequence: OrderTree.SequenceID) -> Place? {
        sequence == sectionSequence ? sectionSibling(trail) : sibling(trail, in: sequence)
    }
}
