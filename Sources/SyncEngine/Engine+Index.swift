import SyncModel
import SyncTree

/// Finding the place that an index means (P3).
extension Engine {
    /// The place after the first `index` things of a sequence, as the author counts them.
    ///
    /// # Performance
    /// O(log n) at the room's revision. At an older base, with k nodes of the sequence touched
    /// since, the first placement is O(k log n). Each later one from that base is O(log k · log n),
    /// also in later transactions, and so is each thing that the transaction took out or put in.
    func place(
        at index: UInt64, in sequence: OrderTree.SequenceID, moving: ThingID, trail: MessageParts
    ) -> Place {
        if draft.isPastHorizon, let place = living(trail, in: sequence) { return place }
        let index = Int(clamping: index)
        if draft.isCurrent { return currentPlace(at: index, in: sequence, moving: moving) }
        if draft.deletedSequences.contains(sequence) {
            return place(at: index, amongAdditionsTo: sequence, moving: moving)
        }
        return formerPlace(at: index, in: sequence, moving: moving)
    }

    // MARK: At the room's revision

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

    // MARK: At an older base

    private func formerPlace(
        at index: Int, in sequence: OrderTree.SequenceID, moving: ThingID
    ) -> Place {
        let base = max(draft.base, horizon)
        guard let former = formerSequence(sequence, since: base) else { return end(of: sequence) }
        let exceptions = exceptions(for: moving, in: sequence, base)
        if index >= formerSequences[former].count(exceptions, self) { return end(of: sequence) }
        if index == 0 { return place(after: 0, in: sequence) }
        let node = formerSequences[former].node(at: index - 1, exceptions, self)
        return place(after: node, in: sequence)
    }

    /// The thing that moves is not counted, neither where it was at the base nor where the
    /// transaction put it.
    private func exceptions(
        for moving: ThingID, in sequence: OrderTree.SequenceID, _ base: Revision
    ) -> [FormerSequence.Exception] {
        guard moving != 0 else { return [] }
        var exceptions: [FormerSequence.Exception] = []
        let own = drafted(moving, in: sequence)
        if own != 0, !draft.deletedSections.contains(own) {
            exceptions.append(FormerSequence.Exception(node: own, difference: -1))
        }
        if draft.takenOut.contains(moving) { return exceptions }
        let node = formerNode(of: moving, at: base)
        guard node != 0, nodes[node].died > base, stands(node, in: sequence) else {
            return exceptions
        }
        exceptions.append(FormerSequence.Exception(node: node, difference: -1))
        return exceptions
    }

    /// The node that the transaction made for a thing, if it lives in this sequence; else 0.
    private func drafted(_ thing: ThingID, in sequence: OrderTree.SequenceID) -> NodeID {
        let node = liveNode(of: thing, in: sequence)
        return node != 0 && nodes[node].born == draft.revision ? node : 0
    }

    /// The index in `formerSequences` of a sequence as it was at a base. If it is not cached, it is
    /// made, and replaces the oldest. `nil` if there are no steps left.
    private func formerSequence(
        _ sequence: OrderTree.SequenceID, since base: Revision
    ) -> Int? {
        // Making one takes this many steps. A transaction that finds it cached has them counted
        // against its limit all the same.
        let steps = 2 * (journal.position(after: revision) - journal.position(after: base))
        let known = formerSequences.firstIndex { $0.base == base && $0.sequence == sequence }
        if let known {
            if formerSequences[known].transaction != draft.number {
                draft.countSaved(steps: steps)
                if isOverSteps { return nil }
            }
            formerSequences[known].catchUp(self)
            return known
        }
        spend(steps)
        if isOverSteps { return nil }
        var former = FormerSequence(of: sequence, since: base, self)
        former.catchUp(self)
        if formerSequences.count < Engine.formerSequenceLimit {
            formerSequences.append(former)
            return formerSequences.count - 1
        }
        nextFormerSequence = (nextFormerSequence + 1) % Engine.formerSequenceLimit
        formerSequences[nextFormerSequence] = former
        return nextFormerSequence
    }

    /// The place of an index in a section that the transaction deleted: only what it put there
    /// later counts.
    private func place(
        at index: Int, amongAdditionsTo sequence: OrderTree.SequenceID, moving: ThingID
    ) -> Place {
        if additionsTransaction != draft.number {
            additionsTransaction = draft.number
            sequenceAdditions.removeAll()
        }
        var new =
            sequenceAdditions.removeValue(forKey: sequence)
            ?? FormerSequence(ofAdditionsTo: sequence, self)
        new.catchUp(self)
        let own = drafted(moving, in: sequence)
        let count = new.countedCount - (own != 0 && new.isCounted(own, self) ? 1 : 0)
        let left = index == 0 ? 0 : new.countedNode(at: index - 1, except: own, self)
        sequenceAdditions[sequence] = new
        return index >= count ? end(of: sequence) : place(after: left, in: sequence)
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
