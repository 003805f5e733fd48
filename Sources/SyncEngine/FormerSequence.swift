import SyncTree

/// A sequence as it was at a base, told by what has changed since: its nodes that were born or died, in
/// order, each with how much its count at the base differs from its count now.
///
/// It answers which node had an index at the base, and which index a node had. Who sends many transactions
/// without waiting makes them all at one base, so it is kept from one to the next and takes in just what
/// came since; the order of nodes never changes, and where they are now the tree tells.
///
/// # Performance
/// O(log k · log n) to find an index among k nodes, and to take in another node; O(k), a few
/// instructions each, for the sums after nodes were taken in.
struct FormerSequence {
    private struct Entry {
        var node: NodeID
        /// It counted at the base.
        var wasCounted: Bool
        /// It counted at the base, less what it counts now.
        var difference: Int32
        /// The differences of all before it.
        var sumBefore: Int32 = 0
    }

    /// One node's difference in the eyes of one operation only.
    struct Exception {
        var node: NodeID
        var difference: Int
    }

    let base: Revision
    let sequence: OrderTree.SequenceID
    private var entries: [Entry] = []
    private var sum = 0
    /// Where in the journal it has come to.
    private var journalPosition: Int

    init(of sequence: OrderTree.SequenceID, since base: Revision, _ engine: Engine) {
        let nodes = engine.journal.entries(after: base).compactMap(\.node)
            .filter { engine.stands($0, in: sequence) }
        self.init(of: sequence, since: base, touching: nodes, engine)
    }

    /// Takes the nodes of the sequence that were touched since the base, some maybe more than once.
    init(
        of sequence: OrderTree.SequenceID, since base: Revision, touching nodes: [NodeID],
        _ engine: Engine
    ) {
        self.base = base
        self.sequence = sequence
        journalPosition = engine.journal.end
        var nodes = nodes.map { (node: $0, key: engine.tree.locate($0).key) }
        nodes.sort { $0.key < $1.key }
        for index in nodes.indices where index == 0 || nodes[index].node != nodes[index - 1].node {
            entries.append(entry(nodes[index].node, engine))
        }
        addUp()
    }

    /// Takes in what the journal has had since.
    mutating func catchUp(_ engine: Engine) {
        guard journalPosition < engine.journal.end else { return }
        for touched in engine.journal.entries(from: journalPosition) {
            guard let node = touched.node, engine.stands(node, in: sequence) else { continue }
            let entry = entry(node, engine)
            let index = firstIndex(notBefore: engine.tree.locate(node).key, engine)
            if index < entries.count, entries[index].node == node {
                entries[index] = entry
            } else {
                entries.insert(entry, at: index)
            }
        }
        journalPosition = engine.journal.end
        addUp()
    }

    private func entry(_ node: NodeID, _ engine: Engine) -> Entry {
        let record = engine.nodes[node]
        let wasCounted = record.born <= base && record.died > base
        let isLive = record.died == NodeRecord.alive
        return Entry(
            node: node, wasCounted: wasCounted, difference: (wasCounted ? 1 : 0) - (isLive ? 1 : 0))
    }

    private mutating func addUp() {
        var sum: Int32 = 0
        for index in entries.indices {
            entries[index].sumBefore = sum
            sum += entries[index].difference
        }
        self.sum = Int(sum)
    }

    /// The first entry that does not stand before a key.
    private func firstIndex(notBefore key: UInt64, _ engine: Engine) -> Int {
        entries.partitioningIndex { engine.tree.locate($0.node).key >= key }
    }

    // MARK: Asking

    /// How many nodes counted at the base.
    func count(_ exceptions: [Exception], _ engine: Engine) -> Int {
        engine.tree.liveCount(sequence) + sum + exceptions.reduce(0) { $0 + $1.difference }
    }

    /// How many nodes that counted at the base stand before a node of the sequence.
    func rank(of node: NodeID, _ engine: Engine) -> Int {
        let place = engine.tree.locate(node)
        let behind = firstIndex(notBefore: place.key, engine)
        return place.rank + (behind < entries.count ? Int(entries[behind].sumBefore) : sum)
    }

    /// The node that had `index` others before it at the base; there must have been one.
    ///
    /// - Parameter exceptions: of nodes that do not count though they did, or that were not touched.
    func node(at index: Int, _ exceptions: [Exception], _ engine: Engine) -> NodeID {
        let places = exceptions.map { (place: engine.tree.locate($0.node), $0.difference) }
        /// How many nodes counted before a place; the sum is that of the entries before it.
        func count(before place: OrderPosition, _ sum: Int) -> Int {
            places.reduce(place.rank + sum) { $1.place.key < place.key ? $0 + $1.1 : $0 }
        }
        let next = entries.partitioningIndex {
            count(before: engine.tree.locate($0.node), Int($0.sumBefore)) > index
        }
        var difference = next < entries.count ? Int(entries[next].sumBefore) : sum
        if next > 0 {
            let last = entries[next - 1]
            let before = count(before: engine.tree.locate(last.node), Int(last.sumBefore))
            let isException = exceptions.contains { $0.node == last.node }
            if before == index, last.wasCounted, !isException { return last.node }
        }
        for (place, exception) in places {
            let behind = firstIndex(notBefore: place.key, engine)
            let sum = behind < entries.count ? Int(entries[behind].sumBefore) : self.sum
            if count(before: place, sum) <= index { difference += exception }
        }
        return engine.tree.select(index - difference, in: sequence)
    }
}

extension Array {
    /// The first index whose element, and all behind it, fulfil a condition.
    fileprivate func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
