import SyncModel
import SyncTree

/// Walks over the nodes of a sequence or of a thing. ``WalkMemory`` remembers the long ones.
extension Engine {
    // MARK: Neighbours

    /// Whether a node died at or below the horizon, so that nothing may depend on it. It may not be
    /// swept yet.
    @inline(__always)
    func isForgotten(_ node: NodeID) -> Bool { nodes[node].died <= horizon }

    /// Whether a thing was deleted at or below the horizon, so that its id is free.
    @inline(__always)
    func isForgotten(thing: ThingID) -> Bool {
        !things[thing].isAlive && isForgotten(things[thing].node)
    }

    /// The next node to the right that is not forgotten; 0 at the end. From 0 it begins at the
    /// start.
    @inline(__always)
    func following(_ node: NodeID, in sequence: OrderTree.SequenceID) -> NodeID {
        var next = node == 0 ? tree.first(sequence) : tree.next(node)
        while next != 0, isForgotten(next) {
            spend(1)
            next = tree.next(next)
        }
        return next
    }

    /// The node to the left that is not forgotten; 0 at the start.
    func preceding(_ node: NodeID) -> NodeID {
        var previous = tree.previous(node)
        while previous != 0, isForgotten(previous) {
            spend(1)
            previous = tree.previous(previous)
        }
        return previous
    }

    /// The last node that is not forgotten; 0 if there is none.
    func lastRemembered(in sequence: OrderTree.SequenceID) -> NodeID {
        let last = tree.last(sequence)
        // The node is read only while something is still to be swept.
        if journal.unswept.isEmpty || last == 0 || !isForgotten(last) { return last }
        return preceding(last)
    }

    // MARK: Along a sequence

    /// The last of the nodes that others put behind `origin`, not beyond `limit`; `origin` if there
    /// is none (P1).
    func lastPut(
        behind origin: NodeID, in sequence: OrderTree.SequenceID, before limit: NodeID
    ) -> NodeID {
        var left = origin
        var length = 0
        var next = following(origin, in: sequence)
        let key = WalkMemory.Key(
            kind: .right, base: draft.base, author: draft.author, sequence: sequence, from: origin,
            limit: limit)
        while next != 0, next != limit, !hasSeen(next),
            originates(next, from: origin, passing: left), !isOverSteps
        {
            spend(1)
            length += 1
            left = next
            if length == WalkMemory.leastLength, let walk = updatedWalk(right: key) {
                left = walk.end
                length = walk.length
            }
            next = following(left, in: sequence)
        }
        remember(key, end: left, length: length)
        return left
    }

    /// The nearest node to the left that the author has seen; 0 if there is none.
    func lastSeen(before node: NodeID, in sequence: OrderTree.SequenceID) -> NodeID {
        var left = preceding(node)
        var length = 0
        let key = WalkMemory.Key(
            kind: .left, base: draft.base, author: draft.author, sequence: sequence, from: node)
        while left != 0, !hasSeen(left), !isOverSteps {
            spend(1)
            length += 1
            if length == WalkMemory.leastLength, let walk = updatedWalk(left: key) {
                left = walk.end
                length = walk.length
            } else {
                left = preceding(left)
            }
        }
        remember(key, end: left, length: length)
        return left
    }

    private func remember(_ key: WalkMemory.Key, end: NodeID, top: NodeID = 0, length: Int) {
        guard length >= WalkMemory.leastLength, !isOverSteps else { return }
        walks.remember(
            WalkMemory.Walk(
                key: key, end: end, top: top, length: length, journalEnd: journal.end,
                transaction: draft.number))
    }

    /// A remembered walk to the right, brought up to date with the nodes that were born on its way
    /// since.
    private func updatedWalk(right key: WalkMemory.Key) -> WalkMemory.Walk? {
        updatedWalk(key) { node, end in
            let place = tree.locate(node).key
            guard end != 0, key.from == 0 || place > tree.locate(key.from).key,
                place <= tree.locate(end).key
            else { return end }
            let left = preceding(node)
            let isPassed =
                !hasSeen(node) && originates(node, from: key.from, passing: left)
            return isPassed ? end : left
        }
    }

    /// A remembered walk to the left, brought up to date with the nodes that were born on its way
    /// since.
    private func updatedWalk(left key: WalkMemory.Key) -> WalkMemory.Walk? {
        updatedWalk(key) { node, end in
            guard hasSeen(node) else { return end }
            let place = tree.locate(node).key
            guard end == 0 || place > tree.locate(end).key, place < tree.locate(key.from).key
            else { return end }
            return node
        }
    }

    /// A remembered walk, brought up to date; `nil` if walking again is no more work than that.
    ///
    /// - Parameter end: gives the walk's new end, from a node that was born in its sequence and its
    ///   old end.
    private func updatedWalk(
        _ key: WalkMemory.Key, end: (NodeID, NodeID) -> NodeID
    ) -> WalkMemory.Walk? {
        guard var walk = walks.walk(key) else { return nil }
        let entries = journal.entries(from: walk.journalEnd)
        guard entries.count <= max(walk.length, 64) else { return nil }
        spend(entries.count)
        for entry in entries where !entry.isDeath {
            guard let node = entry.node, stands(node, in: key.sequence) else { continue }
            walk.end = end(node, walk.end)
        }
        // Each transaction that uses a walk has its steps counted against the limit once.
        if walk.transaction != draft.number { draft.countSaved(steps: walk.length) }
        walk.transaction = draft.number
        walk.journalEnd = journal.end
        walks.remember(walk)
        return walk
    }

    /// Drops the walks and former sequences that the current transaction used. It is rolled back,
    /// and they may refer to its nodes.
    func forgetWalks() {
        walks.removeAll(of: draft.number)
        if !formerSequences.isEmpty {
            formerSequences.removeAll { $0.transaction == draft.number }
        }
    }

    // MARK: Over a section

    /// The things in a section that its author deletes with it (O6).
    ///
    /// A second pass over the same section looks only at what was born since. What the first pass
    /// left there, the author has not seen.
    func seenThings(in sequence: OrderTree.SequenceID) -> [ThingID] {
        var seen: [ThingID] = []
        let key = WalkMemory.Key(
            kind: .section, base: draft.base, author: draft.author, sequence: sequence)
        if let walk = walks.walk(key) {
            let entries = journal.entries(from: walk.journalEnd)
            if entries.count <= walk.length {
                spend(entries.count)
                if walk.transaction != draft.number { draft.countSaved(steps: walk.length) }
                for entry in entries where !entry.isDeath {
                    guard let node = entry.node, !things[nodes[node].thing].isSection,
                        nodes[node].sequence == sequence, nodes[node].died == NodeRecord.alive,
                        hasSeen(node, standingIn: sequence)
                    else { continue }
                    seen.append(nodes[node].thing)
                }
                return seen
            }
        }
        spend(tree.liveCount(sequence))
        if isOverSteps { return [] }
        tree.forEachLive(sequence) { node in
            if !isOverSteps, hasSeen(node, standingIn: sequence) { seen.append(nodes[node].thing) }
        }
        return seen
    }

    /// Remembers that the author has deleted all that it deletes with this section.
    func rememberPass(over sequence: OrderTree.SequenceID) {
        let key = WalkMemory.Key(
            kind: .section, base: draft.base, author: draft.author, sequence: sequence)
        remember(key, end: 0, length: tree.liveCount(sequence))
    }

    /// Whether the author deletes the item of this node with its section (O6): it has seen this
    /// incarnation of the item, and its node of the item stands in this section and was not dead at
    /// the base.
    private func hasSeen(_ node: NodeID, standingIn sequence: OrderTree.SequenceID) -> Bool {
        var seen = node
        while seen != 0, !hasSeen(seen) {
            spend(1)
            seen = previous(of: seen)
        }
        guard seen != 0, nodes[seen].incarnation == nodes[node].incarnation else { return false }
        return nodes[seen].sequence == sequence && nodes[seen].died > draft.base
    }

    // MARK: Over a thing's nodes

    /// The last made node of a thing that the author has seen; 0 if there is none, or it is
    /// forgotten.
    func seenNode(of thing: ThingID) -> NodeID {
        let node = things[thing].node
        if hasSeen(node) { return node }
        let key = WalkMemory.Key(
            kind: .seen, base: draft.base, author: draft.author, from: thing)
        return walk(from: node, key) { hasSeen($0) }
    }

    /// The last made node of a thing that was born at or before a revision; 0 if there is none, or
    /// it is forgotten.
    func formerNode(of thing: ThingID, at base: Revision) -> NodeID {
        let node = things[thing].node
        if nodes[node].born <= base { return node }
        let key = WalkMemory.Key(kind: .former, base: base, from: thing)
        return walk(from: node, key) { nodes[$0].born <= base }
    }

    /// Whether the author has not seen the latest incarnation of an id, while a former one is
    /// remembered or its base is past the horizon. Then its operation can't mean the latest one.
    func knowsOnlyFormer(_ thing: ThingID) -> Bool {
        let record = things[thing]
        if draft.hasSeen(record.incarnationBorn, by: record.incarnationAuthor) { return false }
        if draft.isPastHorizon { return true }
        let key = WalkMemory.Key(kind: .life, from: thing)
        return walk(from: record.node, key) { nodes[$0].incarnation != record.incarnation } != 0
    }

    /// Goes back over the nodes of a thing to the first one that fulfils a condition; 0 if none
    /// does. At the node where a remembered walk began, it takes over that walk's end.
    private func walk(
        from top: NodeID, _ key: WalkMemory.Key, to isEnd: (NodeID) -> Bool
    ) -> NodeID {
        var node = top
        var length = 0
        var known: WalkMemory.Walk?
        while node != 0, !isEnd(node), !isOverSteps {
            spend(1)
            length += 1
            if length == 1 { known = walks.walk(key) }
            if let walk = known, walk.top == node {
                if walk.transaction != draft.number { draft.countSaved(steps: walk.length) }
                node = walk.end
                length += walk.length
                break
            }
            node = previous(of: node)
        }
        remember(key, end: node, top: top, length: length)
        return node
    }
}
