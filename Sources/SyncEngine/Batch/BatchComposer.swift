package import SyncModel
import SyncTree

/// Composes the batch between two revisions from the nodes touched since the first.
///
/// 1. Collect the nodes and contents that were touched since `from`, and the nodes' places in the
///    view.
/// 2. Turn the places there into indices at `from` and at `to`, sequence by sequence.
/// 3. Pair each thing's old node with its new one. A thing that has both is moved, or stays in
///    order.
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
    /// The item nodes of each touched sequence, in the order of the sequences' numbers.
    var sequences: [TouchedSequence] = []
    /// Sections whose content was replaced above `from` and not above `to`.
    private let rewrittenSections: [ThingID]

    init(_ view: OrderView, from: Revision, to: Revision) {
        engine = view.engine
        self.view = view
        self.from = from
        self.to = to
        var (items, sectionNodes): ([TouchedNode], [TouchedNode]) = ([], [])
        rewrittenSections = view.engine.touch(&items, &sectionNodes, view, from: from, to: to)
        sections = SectionDifference(view, BatchComposer.sorted(sectionNodes))
        splitBySequence(BatchComposer.sorted(items))
    }

    /// Sorts nodes by their places, and drops duplicates: a node may have been born, written and
    /// died.
    private static func sorted(_ nodes: [TouchedNode]) -> [TouchedNode] {
        var order = nodes.indices.map {
            KeyedNumber(key: nodes[$0].position.key, number: UInt32($0))
        }
        order.sortByKey()
        if nodes.contains(where: { $0.sequence != nodes[0].sequence }) {
            for index in order.indices {
                order[index].key = UInt64(nodes[Int(order[index].number)].sequence)
            }
            order.sortByKey()
        }
        var distinct: [TouchedNode] = []
        distinct.reserveCapacity(order.count)
        for entry in order {
            let node = nodes[Int(entry.number)]
            if let last = distinct.last, last.node == node.node {
                distinct[distinct.count - 1].isRewritten = last.isRewritten || node.isRewritten
            } else {
                distinct.append(node)
            }
        }
        return distinct
    }

    private mutating func splitBySequence(_ items: [TouchedNode]) {
        var start = 0
        while start < items.count {
            let sequence = items[start].sequence
            let end = items[start...].firstIndex { $0.sequence != sequence } ?? items.count
            sequences.append(
                TouchedSequence(
                    items[start..<end], liveCount: view.liveCount(sequence),
                    of: engine.sectionOfSequence[Int(sequence)], in: sections))
            start = end
        }
    }

    /// The index in ``sequences`` of a sequence that has touched nodes.
    func index(of sequence: OrderTree.SequenceID) -> Int? {
        var low = 0
        var high = sequences.count
        while low < high {
            let middle = (low + high) / 2
            if sequences[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < sequences.count && sequences[low].sequence == sequence ? low : nil
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
        for thing in rewrittenSections {
            guard let index = sections.indexIfAtBoth(thing) else { continue }
            let body = engine.body(of: thing, at: to)
            stage.changedSections.append(.init(index: index, section: engine.section(body)))
        }
        stage.changedSections.sort { $0.index < $1.index }
        var reloads: [KeyedNumber] = []
        for sequence in sequences {
            for node in sequence.nodes where node.isRewritten {
                guard let path = oldPath(of: node, in: sequence) else { continue }
                reloads.append(KeyedNumber(key: path.packed, number: node.thing))
            }
        }
        reloads.sortByKey()
        stage.reloads.reserveCapacity(reloads.count)
        for reload in reloads {
            let body = engine.body(of: reload.number, at: to)
            stage.reloads.append(
                .init(path: ItemPath(packed: reload.key), item: engine.item(body)))
        }
    }

    /// The path at `from` of the item whose last node this is; `nil` if the item did not live at
    /// both revisions.
    private func oldPath(of last: TouchedNode, in sequence: TouchedSequence) -> ItemPath? {
        if last.stays {
            return sequence.section.old.map { ItemPath(section: $0, item: last.oldIndex) }
        }
        var node = last.node
        var isAtEnd = false
        while node != 0 {
            isAtEnd = isAtEnd || engine.wasAlive(node, at: to)
            if engine.wasAlive(node, at: from) { return isAtEnd ? oldPath(of: node) : nil }
            node = engine.previous(of: node)
        }
        return nil
    }

    private func oldPath(of node: NodeID) -> ItemPath? {
        guard let index = index(of: engine.nodes[node].sequence),
            let section = sequences[index].section.old
        else { return nil }
        // The item lives in another node now, so both nodes are touched, and their sequences are
        // listed.
        let item = sequences[index].indices(ofUntouched: view.locate(node)).old
        return ItemPath(section: section, item: item)
    }
}

extension Engine {
    /// How many nodes ahead memory is prefetched.
    private static let touchLead = 8

    /// A touched node. `isRewritten` says that it is listed as the last node of a thing whose
    /// content was replaced.
    private typealias Touch = (node: NodeID, isRewritten: Bool)

    /// Collects the nodes that a batch has to look at, in any order.
    ///
    /// - Returns: the sections whose content was replaced above `from` and not above `to`.
    fileprivate func touch(
        _ items: inout [TouchedNode], _ sections: inout [TouchedNode], _ view: OrderView,
        from: Revision, to: Revision
    ) -> [ThingID] {
        var rewrittenSections: [ThingID] = []
        let nodes = touches(&rewrittenSections, view, from: from, to: to)
        items.reserveCapacity(nodes.count)
        for index in nodes.indices {
            prefetchNode(nodes[min(index + 2 * Engine.touchLead, nodes.count - 1)].node)
            prefetchPlace(of: nodes[min(index + Engine.touchLead, nodes.count - 1)].node)
            let node = nodes[index].node
            let sequence = sequence(of: node)
            var position = tree.locate(node)
            view.adjust(&position, in: sequence)
            let touched = TouchedNode(
                node: node, thing: self.nodes[node].thing, sequence: sequence,
                position: position, isLive: wasAlive(node, at: view.revision),
                isOld: wasAlive(node, at: from), isNew: wasAlive(node, at: to),
                isRewritten: nodes[index].isRewritten)
            if sequence == sectionSequence {
                sections.append(touched)
            } else {
                items.append(touched)
            }
        }
        return rewrittenSections
    }

    private func touches(
        _ rewrittenSections: inout [ThingID], _ view: OrderView, from: Revision, to: Revision
    ) -> [Touch] {
        var touches: [Touch] = []
        var rewritten: [KeyedNumber] = []
        for entry in journal.entries(from + 1...view.revision) {
            if let version = entry.version {
                let record = versions[version]
                if record.revision > to { continue }
                rewritten.append(KeyedNumber(key: UInt64(record.thing), number: record.thing))
            } else if let node = entry.node {
                touches.append((node, false))
            }
        }
        // A content is often replaced several times.
        rewritten.sortByKey()
        var last: ThingID = 0
        for thing in rewritten.lazy.map(\.number) where thing != last {
            last = thing
            if things[thing].isSection { rewrittenSections.append(thing) }
            let node = view.lastNode(of: thing)
            if node != 0 { touches.append((node, true)) }
        }
        return touches
    }
}

extension ItemPath {
    /// Both indices in one number that sorts as the path does. Each fits 32 bits, as numbers of
    /// things do.
    fileprivate var packed: UInt64 { UInt64(section) << 32 | UInt64(item) }

    fileprivate init(packed: UInt64) {
        self.init(section: Int(packed >> 32), item: Int(packed & (1 << 32 - 1)))
    }
}

extension Engine {
    /// The batch from one revision to another; `nil` unless horizon ≤ `from` ≤ `to` ≤ the room's
    /// revision.
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

    /// Calls `body` with the batch from each revision to the next, until it returns `false`. It
    /// ends at the room's revision, and does nothing if `from` is below the horizon.
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
