package import SyncModel
import SyncTree

/// The room as it was at a revision, read in parts: for clients that have only a few items around
/// their screen.
///
/// Valid until the engine is changed: by a transaction, or by its horizon.
///
/// # Performance
/// Making one is O(k) for the k nodes touched since its revision. A query is O(log n) if nothing of
/// its section was touched. Otherwise the first query of a section is O(j log j · log n) for the j
/// nodes touched there, and later ones are O(log j · log n). A query of a thing also goes back over
/// the nodes and contents that the thing got since.
package final class RoomWindow {
    /// The revision it shows.
    package let revision: Revision
    let engine: Engine
    // No two accesses overlap here. So the check of that at run time is off: it takes time in each
    // query.
    /// The nodes that were born or died since.
    @exclusivity(unchecked) private var touched: [OrderTree.SequenceID: [NodeID]] = [:]
    /// The touched sequences that were queried.
    @exclusivity(unchecked) private var formerSequences: [OrderTree.SequenceID: FormerSequence] =
        [:]

    /// How many dead nodes in a row are walked over. Beyond them the next live node is found from
    /// the root.
    #if DEBUG
        // Short random tests must reach it.
        private static let walkLimit = 2
    #else
        private static let walkLimit = 64
    #endif

    fileprivate init(_ engine: Engine, at revision: Revision) {
        self.engine = engine
        self.revision = revision
        for entry in engine.journal.entries(after: revision) {
            if let node = entry.node {
                touched[engine.sequence(of: node), default: []].append(node)
            }
        }
    }

    // MARK: Places

    /// How many sections there are.
    package var sectionCount: Int { count(engine.sectionSequence) }

    /// How many items the section at an index has; 0 if there is no such section.
    package func itemCount(inSection index: Int) -> Int {
        sequence(ofSectionAt: index).map { count($0) } ?? 0
    }

    /// The section at an index; `nil` if there is none.
    package func sectionKey(at index: Int) -> ThingKey? {
        let node = node(at: index, in: engine.sectionSequence)
        return node == 0 ? nil : engine.key(of: node)
    }

    /// The item at a place; `nil` if there is none.
    package func itemKey(at path: ItemPath) -> ThingKey? {
        guard let sequence = sequence(ofSectionAt: path.section) else { return nil }
        let node = node(at: path.item, in: sequence)
        return node == 0 ? nil : engine.key(of: node)
    }

    /// Appends the items in a range of indices of a section to an array, as far as there are any.
    ///
    /// # Performance
    /// One query, and then O(1) for each item, unless many dead ones stand before it.
    package func readItemKeys(
        inSection index: Int, _ range: Range<Int>, into keys: inout [ThingKey]
    ) {
        guard let sequence = sequence(ofSectionAt: index) else { return }
        let range = range.clamped(to: 0..<count(sequence))
        var node: NodeID = 0
        for index in range {
            if node != 0 { node = next(node) }
            if node == 0 { node = self.node(at: index, in: sequence) }
            keys.append(engine.key(of: node))
        }
    }

    /// Where an item is; `nil` if it does not live.
    package func path(ofItem key: ThingKey) -> ItemPath? {
        let node = node(of: key)
        guard node != 0, !engine.things[key.thing].isSection else { return nil }
        let sequence = engine.nodes[node].sequence
        let section = lastNode(of: engine.sectionOfSequence[Int(sequence)])
        return ItemPath(
            section: rank(of: section, in: engine.sectionSequence),
            item: rank(of: node, in: sequence))
    }

    /// The index of a section; `nil` if it does not live.
    package func sectionIndex(of key: ThingKey) -> Int? {
        let node = node(of: key)
        guard node != 0, engine.things[key.thing].isSection else { return nil }
        return rank(of: node, in: engine.sectionSequence)
    }

    // MARK: Contents

    /// An item with the content that it had; `nil` if it does not live.
    package func item(_ key: ThingKey) -> Item? {
        guard node(of: key) != 0, !engine.things[key.thing].isSection else { return nil }
        return engine.item(engine.body(of: key.thing, at: revision))
    }

    /// A section with the content that it had; `nil` if it does not live.
    package func section(_ key: ThingKey) -> ListSection? {
        guard node(of: key) != 0, engine.things[key.thing].isSection else { return nil }
        return engine.section(engine.body(of: key.thing, at: revision))
    }

    /// The id of an item or a section; `nil` if it does not live.
    package func id(of key: ThingKey) -> Identifier? {
        guard node(of: key) != 0 else { return nil }
        let body = engine.body(of: key.thing, at: revision)
        return Identifier(trusted: Body(engine.blobs.bytes(body)).id)
    }

    /// What may be done with an item; `nil` if it does not live.
    package func flags(ofItem key: ThingKey) -> ItemFlags? {
        guard node(of: key) != 0, !engine.things[key.thing].isSection else { return nil }
        let body = engine.body(of: key.thing, at: revision)
        return ItemFlags.all.subtracting(ItemFlags(rawValue: engine.blobs.tag(body)))
    }

    /// What may be done with the section at an index; `nil` if there is none.
    package func flags(ofSectionAt index: Int) -> SectionFlags? {
        guard let key = sectionKey(at: index) else { return nil }
        let body = engine.body(of: key.thing, at: revision)
        return SectionFlags.all.subtracting(SectionFlags(rawValue: engine.blobs.tag(body)))
    }

    /// Whether the content was replaced since an earlier revision at which the thing lived too.
    ///
    /// It is also `true` if an equal content came back. If the earlier revision is below the
    /// horizon, it is not known any more, and `true`.
    package func hasChanged(_ key: ThingKey, since base: Revision) -> Bool {
        guard base >= engine.horizon, isKnown(key) else { return true }
        var version = engine.things[key.thing].version
        var later = Revision.max
        while version != 0 {
            let record = engine.versions[version]
            // Older records may be forgotten, and their numbers in use again.
            guard record.thing == key.thing, record.revision < later, record.revision > base else {
                return false
            }
            if record.revision <= revision { return true }
            later = record.revision
            version = record.previous
        }
        return false
    }

    /// Whether a thing that lives was inserted, for the first time or again, after an earlier
    /// revision.
    package func isNew(_ key: ThingKey, since base: Revision) -> Bool {
        guard isKnown(key) else { return false }
        let record = engine.things[key.thing]
        return record.incarnation == key.incarnation && record.incarnationBorn > base
    }

    /// Whether an item that lives was moved after an earlier revision, by itself or with its
    /// section.
    ///
    /// # Performance
    /// O(1), where neither has moved since the window's revision.
    package func hasMoved(_ item: ThingKey, since base: Revision) -> Bool {
        let node = node(of: item)
        guard node != 0 else { return false }
        let record = engine.nodes[node]
        let section = lastNode(of: engine.sectionOfSequence[Int(record.sequence)])
        return record.born > base || engine.nodes[section].born > base
    }

    // MARK: Nodes of things

    /// Whether the key's thing still has its number.
    private func isKnown(_ key: ThingKey) -> Bool {
        key.thing < engine.things.end && engine.things[key.thing].generation == key.generation
    }

    /// The node in which the thing that a key names lived; 0 if it did not.
    private func node(of key: ThingKey) -> NodeID {
        guard isKnown(key) else { return 0 }
        let node = lastNode(of: key.thing)
        guard node != 0, engine.nodes[node].incarnation == key.incarnation,
            engine.wasAlive(node, at: revision)
        else { return 0 }
        return node
    }

    /// The last node that a thing had; 0 if it had none.
    private func lastNode(of thing: ThingID) -> NodeID {
        var steps = 0
        return lastNode(of: thing, steps: &steps)
    }

    /// The same. `steps` counts the nodes that it got since.
    func lastNode(of thing: ThingID, steps: inout Int) -> NodeID {
        var node = engine.things[thing].node
        while node != 0, engine.nodes[node].born > revision {
            steps += 1
            node = engine.previous(of: node)
        }
        return node
    }

    // MARK: Sequences

    private func sequence(ofSectionAt index: Int) -> OrderTree.SequenceID? {
        let node = node(at: index, in: engine.sectionSequence)
        return node == 0 ? nil : engine.nodes[node].sequence
    }

    /// A sequence as it was; `nil` if nothing there was touched since.
    private func former(_ sequence: OrderTree.SequenceID) -> FormerSequence? {
        if let known = formerSequences[sequence] { return known }
        guard let nodes = touched.removeValue(forKey: sequence) else { return nil }
        let former = FormerSequence(of: sequence, since: revision, touching: nodes, engine)
        formerSequences[sequence] = former
        return former
    }

    func count(_ sequence: OrderTree.SequenceID) -> Int {
        former(sequence)?.count([], engine) ?? engine.tree.liveCount(sequence)
    }

    /// The node at an index; 0 if there is none.
    func node(at index: Int, in sequence: OrderTree.SequenceID) -> NodeID {
        guard var former = former(sequence) else { return engine.tree.select(index, in: sequence) }
        guard index >= 0, index < former.count([], engine) else { return 0 }
        return former.node(at: index, [], engine)
    }

    func rank(of node: NodeID, in sequence: OrderTree.SequenceID) -> Int {
        guard var former = former(sequence) else { return engine.tree.rank(node) }
        return former.rank(of: node, engine)
    }

    /// The next node that lived; 0 if it is not near, or there is none.
    private func next(_ node: NodeID) -> NodeID {
        var steps = 0
        return next(node, steps: &steps)
    }

    /// The same. `steps` counts the other nodes that it passes.
    func next(_ node: NodeID, steps: inout Int) -> NodeID {
        var next = engine.tree.next(node)
        for _ in 0..<RoomWindow.walkLimit {
            if next == 0 || engine.wasAlive(next, at: revision) { return next }
            steps += 1
            next = engine.tree.next(next)
        }
        return 0
    }
}

extension Engine {
    /// The room as it was at a revision; `nil` unless that is between the horizon and the room's
    /// revision.
    package func window(at revision: Revision) -> RoomWindow? {
        guard revision >= horizon, revision <= self.revision else { return nil }
        return RoomWindow(self, at: revision)
    }
}
