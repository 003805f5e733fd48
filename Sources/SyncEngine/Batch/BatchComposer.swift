import SyncTree

/// Composes the batch between two revisions from the nodes touched since the first.
///
/// 1. Collect the nodes and contents that were touched since `from`, and the nodes' places in the view.
/// 2. Turn the places there into indices at `from` and at `to`, sequence by sequence.
/// 3. Pair each thing's old node with its new one: what has both is moved, or stays in order.
/// 4. List the changes, with section indices as each stage sees them.
///
/// # Performance
/// O(k log n + k log k) for the k nodes and contents touched since `from`.
struct BatchComposer {
    let engine: Engine
    let from: Revision
    let to: Revision
    /// The order at `to`, or later.
    let view: OrderView
    /// The section nodes.
    var sections: SectionDifference
    /// The item nodes of each touched sequence.
    var sequences: [OrderTree.SequenceID: TouchedSequence] = [:]
    /// The items' sequences in the order of `touchedItems`.
    var touchedItems: [TouchedNode] = []
    /// Things whose content was replaced above `from` and not above `to`.
    var rewritten: [ThingID] = []

    init(_ view: OrderView, from: Revision, to: Revision) {
        engine = view.engine
        self.view = view
        self.from = from
        self.to = to
        var nodes: [NodeID] = []
        for entry in engine.journal.entries(from + 1...view.revision) {
            if let version = entry.version {
                let record = engine.versions[version]
                if record.revision <= to { rewritten.append(record.thing) }
            } else if let node = entry.node {
                nodes.append(node)
            }
        }
        // A content is often replaced several times.
        rewritten = BatchComposer.unique(rewritten)
        nodes += rewritten.lazy.map(view.lastNode).filter { $0 != 0 }
        var touchedSections: [TouchedNode] = []
        for node in nodes {
            let touched = BatchComposer.touch(node, view, from, to)
            if touched.sequence == engine.sectionSequence {
                touchedSections.append(touched)
            } else {
                touchedItems.append(touched)
            }
        }
        BatchComposer.sort(&touchedSections)
        BatchComposer.sort(&touchedItems)
        sections = SectionDifference(view, touchedSections)
        splitItemsBySequence()
    }

    private static func touch(
        _ node: NodeID, _ view: OrderView, _ from: Revision, _ to: Revision
    ) -> TouchedNode {
        let engine = view.engine
        return TouchedNode(
            node: node, thing: engine.nodes[node].thing, sequence: engine.sequence(of: node),
            position: view.locate(node), isLive: view.wasAlive(node),
            isOld: engine.wasAlive(node, at: from), isNew: engine.wasAlive(node, at: to))
    }

    private static func unique(_ things: [ThingID]) -> [ThingID] {
        var unique: [ThingID] = []
        for thing in things.sorted() where unique.last != thing { unique.append(thing) }
        return unique
    }

    /// Sorts nodes by their places and leaves one of each: a node may have been born, written and died.
    private static func sort(_ nodes: inout [TouchedNode]) {
        nodes.sort {
            $0.sequence != $1.sequence
                ? $0.sequence < $1.sequence : $0.position.key < $1.position.key
        }
        var kept = 0
        for index in nodes.indices where kept == 0 || nodes[kept - 1].node != nodes[index].node {
            nodes[kept] = nodes[index]
            kept += 1
        }
        nodes.removeLast(nodes.count - kept)
    }

    private mutating func splitItemsBySequence() {
        var start = 0
        while start < touchedItems.count {
            let sequence = touchedItems[start].sequence
            var end = start + 1
            while end < touchedItems.count, touchedItems[end].sequence == sequence { end += 1 }
            let touched = TouchedSequence(
                touchedItems[start..<end], liveCount: view.liveCount(sequence))
            sequences[sequence] = touched
            touchedItems.replaceSubrange(start..<end, with: touched.nodes)
            start = end
        }
    }

    // MARK: The stages

    mutating func compose() -> Batch {
        var content = Stage()
        var structure = Stage()
        var items = Stage()
        var removal = Stage()
        sections.list(&structure, &removal) { thing in
            engine.section(engine.body(of: thing, at: to))
        }
        var changes = ItemDifference(self)
        changes.list(&items)
        listRewritten(&content)
        let stages = [content, structure, items, removal].filter { $0 != Stage() }
        return Batch(
            from: from, to: to, stages: stages, sections: sections.newCount,
            counts: changes.counts())
    }

    private func listRewritten(_ stage: inout Stage) {
        for thing in rewritten {
            if engine.things[thing].isSection {
                guard let index = sections.indexIfAtBoth(thing) else { continue }
                let body = engine.body(of: thing, at: to)
                stage.changedSections.append(.init(index: index, section: engine.section(body)))
            } else if let path = oldPathIfAtBoth(thing) {
                let body = engine.body(of: thing, at: to)
                stage.reloads.append(.init(path: path, item: engine.item(body)))
            }
        }
        stage.reloads.sort { $0.path < $1.path }
        stage.changedSections.sort { $0.index < $1.index }
    }

    /// Where an item was at `from`, if it lived then and at `to`.
    private func oldPathIfAtBoth(_ thing: ThingID) -> ItemPath? {
        var node = engine.things[thing].node
        var isAtEnd = false
        while node != 0 {
            isAtEnd = isAtEnd || engine.wasAlive(node, at: to)
            if engine.wasAlive(node, at: from) {
                guard isAtEnd else { return nil }
                return oldPath(of: node)
            }
            node = engine.previous(of: node)
        }
        return nil
    }

    private func oldPath(of node: NodeID) -> ItemPath? {
        let sequence = engine.nodes[node].sequence
        let section = engine.sectionOfSequence[Int(sequence)]
        guard let touched = sequences[sequence], let index = sections.oldIndex(of: section) else {
            return nil
        }
        // Every rewritten thing's node is among the touched ones, at its very place.
        let item = touched.indices(ofUntouched: view.locate(node)).old
        return ItemPath(section: index, item: item)
    }
}

extension Engine {
    /// What takes a client from one revision to another; `nil` if they are not both within the
    /// horizon and in order.
    ///
    /// # Performance
    /// O(k log n) for the k nodes and contents touched since `from`, whatever the room's size.
    package func batch(from: Revision, to: Revision) -> Batch? {
        guard from >= horizon, from <= to, to <= revision else { return nil }
        if from == to { return Batch(from: from, to: to, sections: sectionCount(at: to)) }
        var composer = BatchComposer(OrderView(self), from: from, to: to)
        return composer.compose()
    }

    private func sectionCount(at revision: Revision) -> Int {
        if revision == self.revision { return sectionCount }
        return OrderView(self, at: revision).liveCount(sectionSequence)
    }

    /// Calls `body` with the batch from each revision to the next, until it returns `false`. Revisions
    /// that are not within the horizon or above the room's are left out.
    ///
    /// # Performance
    /// O(k log n) for the k nodes touched since `from`, and then for each batch what its revision
    /// touched.
    package func forEachBatch(
        from: Revision, to: Revision, _ body: (Batch) -> Bool
    ) {
        let last = min(to, revision)
        guard from >= horizon, from < last else { return }
        var view = OrderView(self, at: from)
        while view.revision < last {
            view.advance()
            var composer = BatchComposer(view, from: view.revision - 1, to: view.revision)
            if !body(composer.compose()) { return }
        }
    }
}
