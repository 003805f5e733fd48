import SyncModel
import SyncTree

/// The order of things as it was at one revision: the tree's order of now, without what happened
/// since.
///
/// At the room's revision it stores nothing. Further back it stores the nodes touched since,
/// sorted, and a sum tree of their differences between then and now. ``advance()`` goes one
/// revision on, and updates only the differences of what that revision touched. So stepping through
/// old revisions costs what each of them changed, not all that came after it.
///
/// # Performance
/// Making one is O(k log n) for the k nodes touched since its revision; a step O(j log k) for the j
/// nodes it touches; a look-up O(log n). It is valid until the engine applies the next transaction.
struct OrderView {
    let engine: Engine
    private(set) var revision: Revision
    /// The touched nodes' keys, sequence by sequence.
    private var keys: [OrderTree.SequenceID: [UInt64]] = [:]
    private var differences: [OrderTree.SequenceID: SumTree] = [:]

    /// The order as it is.
    init(_ engine: Engine) {
        self.engine = engine
        revision = engine.revision
    }

    /// The order as it was at a revision within the horizon.
    init(_ engine: Engine, at revision: Revision) {
        self.engine = engine
        self.revision = revision
        var touched: Set<NodeID> = []
        for entry in engine.journal.entries(after: revision) {
            if let node = entry.node { touched.insert(node) }
        }
        for node in touched {
            keys[engine.sequence(of: node), default: []].append(engine.tree.locate(node).key)
        }
        for sequence in keys.keys {
            keys[sequence]?.sort()
            differences[sequence] = SumTree(count: keys[sequence]?.count ?? 0)
        }
        for node in touched {
            let isLive = engine.nodes[node].died == NodeRecord.alive
            let difference =
                (engine.wasAlive(node, at: revision) ? 1 : 0) - (isLive ? 1 : 0)
            if difference != 0 { add(difference, to: node) }
        }
    }

    /// Goes to the next revision.
    mutating func advance() {
        revision += 1
        for entry in engine.journal.entries(revision...revision) {
            guard let node = entry.node else { continue }
            let record = engine.nodes[node]
            // What was born and died in one revision never counted.
            if record.born == record.died { continue }
            add(entry.isDeath ? -1 : 1, to: node)
        }
    }

    private mutating func add(_ difference: Int, to node: NodeID) {
        let sequence = engine.sequence(of: node)
        let key = engine.tree.locate(node).key
        let position = position(of: key, in: sequence)
        differences[sequence]?.add(difference, at: position)
    }

    /// How many touched nodes of a sequence stand before a key.
    private func position(of key: UInt64, in sequence: OrderTree.SequenceID) -> Int {
        guard let keys = keys[sequence] else { return 0 }
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Questions

    /// Where a node stands, and how many lived before it.
    func locate(_ node: NodeID) -> OrderPosition {
        var position = engine.tree.locate(node)
        adjust(&position, in: engine.sequence(of: node))
        return position
    }

    /// Turns a position of now into the one of then.
    @inline(__always)
    func adjust(_ position: inout OrderPosition, in sequence: OrderTree.SequenceID) {
        if differences.isEmpty { return }
        if let sums = differences[sequence] {
            position.rank += sums.sum(before: self.position(of: position.key, in: sequence))
        }
    }

    /// How many nodes of a sequence lived then.
    func liveCount(_ sequence: OrderTree.SequenceID) -> Int {
        engine.tree.liveCount(sequence) + (differences[sequence]?.total ?? 0)
    }

    /// The last node that a thing had then; 0 if it had none.
    func lastNode(of thing: ThingID) -> NodeID {
        var node = engine.things[thing].node
        while node != 0, engine.nodes[node].born > revision { node = engine.previous(of: node) }
        return node
    }

    func wasAlive(_ node: NodeID) -> Bool {
        node != 0 && engine.wasAlive(node, at: revision)
    }
}

/// Numbers with their prefix sums: a Fenwick tree.
private struct SumTree {
    private var sums: [Int]
    private(set) var total = 0

    init(count: Int) {
        sums = Array(repeating: 0, count: count + 1)
    }

    mutating func add(_ difference: Int, at position: Int) {
        total += difference
        var index = position + 1
        while index < sums.count {
            sums[index] += difference
            index += index & -index
        }
    }

    /// The sum of the first `count` numbers.
    func sum(before count: Int) -> Int {
        var sum = 0
        var index = count
        while index > 0 {
            sum += sums[index]
            index -= index & -index
        }
        return sum
    }
}

extension Engine {
    /// The sequence that a node stands in.
    func sequence(of node: NodeID) -> OrderTree.SequenceID {
        things[nodes[node].thing].isSection ? sectionSequence : nodes[node].sequence
    }
}
