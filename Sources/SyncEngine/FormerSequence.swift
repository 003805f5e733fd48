import SyncModel
import SyncTree

/// A sequence as it was at a base. It has an entry for each node that was born or died since: how
/// the node counts for the author, and how that differs from its count in the tree now. All other
/// nodes count the same at the base and now.
///
/// It finds the node at an index of the base, and the index of a node. A client that sends many
/// transactions without waiting makes them all at one base. So the engine caches this structure
/// from one transaction to the next, and adds only what was touched since. Nodes never change their
/// order, and the tree knows where they are now.
///
/// While a transaction is applied, nodes count as its author counts them: with its earlier
/// operations on top of the base (P3). For the next transaction, nodes that counted so only for
/// this one (``drafted``) are counted again.
///
/// The nodes are kept in chunks, each with its sums.
///
/// # Performance
/// O(log k · log n) to find an index among k nodes, or to add a node. On top come O(k / c) plain
/// additions, for chunks of c nodes.
struct FormerSequence {
    private struct Entry {
        var node: NodeID
        /// Whether it counts for the author.
        var isCounted: Bool
        /// Its count for the author, 0 or 1, less its count now.
        var difference: Int8
    }

    private struct Chunk {
        var entries: [Entry]
        var difference = 0
        var counted = 0

        init(_ entries: [Entry]) {
            self.entries = entries
            for entry in entries { add(entry, 1) }
        }

        mutating func add(_ entry: Entry, _ sign: Int) {
            difference += sign * Int(entry.difference)
            counted += entry.isCounted ? sign : 0
        }
    }

    /// A node that counts differently for one operation only.
    struct Exception {
        var node: NodeID
        var difference: Int
    }

    // Tiny chunks make short random tests reach every split.
    #if DEBUG
        private static let chunkCapacity = 4
    #else
        private static let chunkCapacity = 256
    #endif

    let base: Revision
    let sequence: OrderTree.SequenceID
    /// Whether nothing of the base counts, only what the current transaction put there.
    private let countsAdditionsOnly: Bool
    /// None of them is empty.
    private var chunks: [Chunk] = []
    /// For each chunk, the sum of the differences before it. It is computed again after a change.
    private var sums: [Int] = []
    private var areSumsValid = false
    private var sum = 0
    private(set) var count = 0
    /// The journal is taken in up to here.
    private var journalPosition: Int
    /// The transaction that it counts for, see ``Draft/number``.
    private(set) var transaction = -1
    /// How many of that transaction's taken-out things and deleted sections are taken in.
    private var takenOutCount = 0
    private var deletedSectionCount = 0
    /// Nodes that count differently for that transaction only.
    private var drafted: [NodeID] = []

    init(of sequence: OrderTree.SequenceID, since base: Revision, _ engine: Engine) {
        let committed = engine.journal.position(after: engine.revision)
        let entries = engine.journal.entries(after: base)
        let nodes = entries.dropLast(engine.journal.end - committed).compactMap(\.node)
            .filter { engine.stands($0, in: sequence) }
        self.init(of: sequence, since: base, touching: nodes, engine)
        journalPosition = committed
    }

    /// Makes it from the nodes of the sequence that were touched since the base. Some may occur
    /// more than once.
    init(
        of sequence: OrderTree.SequenceID, since base: Revision, touching nodes: [NodeID],
        _ engine: Engine
    ) {
        self.base = base
        self.sequence = sequence
        countsAdditionsOnly = false
        journalPosition = engine.journal.end
        var nodes = nodes.map { (node: $0, key: engine.tree.locate($0).key) }
        nodes.sort { $0.key < $1.key }
        var entries: [Entry] = []
        for index in nodes.indices where index == 0 || nodes[index].node != nodes[index - 1].node {
            let node = nodes[index].node
            entries.append(entry(node, isCounted: engine.wasAlive(node, at: base), engine))
        }
        count = entries.count
        let step = max(FormerSequence.chunkCapacity / 2, 1)
        for start in stride(from: 0, to: entries.count, by: step) {
            chunks.append(Chunk(Array(entries[start..<min(start + step, entries.count)])))
        }
        for chunk in chunks { sum += chunk.difference }
        makeSums()
    }

    /// Makes an empty one, for a sequence whose section a transaction deleted: only what the
    /// transaction puts there afterwards counts.
    init(ofAdditionsTo sequence: OrderTree.SequenceID, _ engine: Engine) {
        base = engine.revision
        self.sequence = sequence
        countsAdditionsOnly = true
        journalPosition = engine.journal.position(after: engine.revision)
    }

    var byteCount: Int {
        chunks.count * (FormerSequence.chunkCapacity * MemoryLayout<Entry>.stride + 64)
            + (sums.capacity + drafted.capacity) * 8
    }

    // MARK: Taking in

    /// Takes in what was journaled since, and what the current transaction took out so far, even in
    /// lost operations.
    mutating func catchUp(_ engine: Engine) {
        if transaction != engine.draft.number {
            transaction = engine.draft.number
            takenOutCount = 0
            deletedSectionCount = 0
            let nodes = drafted
            drafted.removeAll(keepingCapacity: true)
            for node in nodes { touch(node, engine) }
        }
        if journalPosition < engine.journal.end {
            let entries = engine.journal.entries(from: journalPosition)
            engine.spend(entries.count)
            for touched in entries {
                if let node = touched.node, engine.stands(node, in: sequence) {
                    touch(node, engine)
                }
            }
            journalPosition = engine.journal.end
        }
        if countsAdditionsOnly { return }
        let takenOut = engine.draft.takenOut.list
        while takenOutCount < takenOut.count, !engine.isOverSteps {
            touch(formerNodeOf: takenOut[takenOutCount], engine)
            takenOutCount += 1
        }
        let deletedSections = engine.draft.deletedSectionList
        while deletedSectionCount < deletedSections.count {
            let node = deletedSections[deletedSectionCount]
            if node != 0, engine.stands(node, in: sequence) { touch(node, engine) }
            deletedSectionCount += 1
        }
    }

    /// Stops counting a thing that the transaction took out where the base had it.
    private mutating func touch(formerNodeOf thing: ThingID, _ engine: Engine) {
        engine.spend(1)
        let node = engine.formerNode(of: thing, at: base)
        guard node != 0, engine.nodes[node].died > base, engine.stands(node, in: sequence) else {
            return
        }
        touch(node, engine)
    }

    /// Counts a node again; it may have an entry already.
    private mutating func touch(_ node: NodeID, _ engine: Engine) {
        let record = engine.nodes[node]
        if countsAdditionsOnly, record.born != engine.draft.revision { return }
        engine.spend(1)
        let isCounted: Bool
        if record.born == engine.draft.revision {
            isCounted =
                record.died == NodeRecord.alive && !engine.draft.deletedSections.contains(node)
            drafted.append(node)
        } else if engine.wasAlive(node, at: base) {
            isCounted = !engine.draft.takenOut.contains(record.thing)
            if !isCounted { drafted.append(node) }
        } else {
            isCounted = false
        }
        set(entry(node, isCounted: isCounted, engine), engine)
    }

    private func entry(_ node: NodeID, isCounted: Bool, _ engine: Engine) -> Entry {
        let isLive = engine.nodes[node].died == NodeRecord.alive
        return Entry(
            node: node, isCounted: isCounted, difference: (isCounted ? 1 : 0) - (isLive ? 1 : 0))
    }

    private mutating func set(_ entry: Entry, _ engine: Engine) {
        areSumsValid = false
        guard !chunks.isEmpty else {
            chunks = [Chunk([entry])]
            sum = Int(entry.difference)
            count = 1
            return
        }
        let spot = spot(notBefore: engine.tree.locate(entry.node).key, engine)
        var chunk = spot.chunk
        var index = spot.index
        let isKnown =
            index < chunks[chunk].entries.count && chunks[chunk].entries[index].node == entry.node
        if isKnown {
            let old = chunks[chunk].entries[index]
            chunks[chunk].add(old, -1)
            sum -= Int(old.difference)
            chunks[chunk].entries[index] = entry
        } else {
            if chunks[chunk].entries.count == FormerSequence.chunkCapacity {
                let half = FormerSequence.chunkCapacity / 2
                let entries = chunks[chunk].entries
                chunks[chunk] = Chunk(Array(entries[..<half]))
                chunks.insert(Chunk(Array(entries[half...])), at: chunk + 1)
                if index > half {
                    chunk += 1
                    index -= half
                }
            }
            chunks[chunk].entries.insert(entry, at: index)
            count += 1
        }
        chunks[chunk].add(entry, 1)
        sum += Int(entry.difference)
    }

    private mutating func makeSums() {
        if areSumsValid { return }
        areSumsValid = true
        sums.removeAll(keepingCapacity: true)
        var sum = 0
        for chunk in chunks {
            sums.append(sum)
            sum += chunk.difference
        }
    }

    // MARK: Finding

    /// Where the first entry at or behind a key is, or the place to insert one with that key.
    /// Between two chunks that is the end of the left one. There must be a chunk.
    private func spot(notBefore key: UInt64, _ engine: Engine) -> (chunk: Int, index: Int) {
        let behind = chunks.partitioningIndex {
            engine.tree.locate($0.entries[0].node).key >= key
        }
        if behind < chunks.count,
            engine.tree.locate(chunks[behind].entries[0].node).key == key
        {
            return (behind, 0)
        }
        let chunk = max(behind - 1, 0)
        let index = chunks[chunk].entries.partitioningIndex {
            engine.tree.locate($0.node).key >= key
        }
        return (chunk, index)
    }

    /// The sum of the differences of all entries before a key.
    private mutating func sum(before key: UInt64, _ engine: Engine) -> Int {
        if chunks.isEmpty { return 0 }
        makeSums()
        let (chunk, index) = spot(notBefore: key, engine)
        return sums[chunk]
            + chunks[chunk].entries[..<index].reduce(0) { $0 + Int($1.difference) }
    }

    // MARK: Asking

    /// How many nodes count for the author.
    func count(_ exceptions: [Exception], _ engine: Engine) -> Int {
        engine.tree.liveCount(sequence) + sum + exceptions.reduce(0) { $0 + $1.difference }
    }

    /// How many nodes that count for the author stand before a node of the sequence.
    mutating func rank(of node: NodeID, _ engine: Engine) -> Int {
        let place = engine.tree.locate(node)
        return place.rank + sum(before: place.key, engine)
    }

    /// The node with `index` others before it that count for the author. There must be one.
    ///
    /// - Parameter exceptions: nodes that do not count for this operation, touched since the base
    ///   or not.
    mutating func node(at index: Int, _ exceptions: [Exception], _ engine: Engine) -> NodeID {
        makeSums()
        let places = exceptions.map { (place: engine.tree.locate($0.node), $0.difference) }
        /// How many nodes count before a place, given the sum of the entries before it.
        func count(before place: OrderPosition, _ sum: Int) -> Int {
            places.reduce(place.rank + sum) { $1.place.key < place.key ? $0 + $1.1 : $0 }
        }
        // Find the last entry with no more than `index` nodes before it.
        let behind = sums.indices.partitioningIndex {
            let first = chunks[$0].entries[0].node
            return count(before: engine.tree.locate(first), sums[$0]) > index
        }
        var difference = 0
        if behind > 0 {
            let entries = chunks[behind - 1].entries
            var (low, high) = (0, entries.count)
            var lowSum = sums[behind - 1]
            // The entry at `low` has no more than `index` before it; `lowSum` is the sum up to it.
            while low + 1 < high {
                let middle = low + (high - low) / 2
                let sum = lowSum + entries[low..<middle].reduce(0) { $0 + Int($1.difference) }
                if count(before: engine.tree.locate(entries[middle].node), sum) > index {
                    high = middle
                } else {
                    (low, lowSum) = (middle, sum)
                }
            }
            let last = entries[low]
            let before = count(before: engine.tree.locate(last.node), lowSum)
            let isException = exceptions.contains { $0.node == last.node }
            if before == index, last.isCounted, !isException { return last.node }
            difference = lowSum + Int(last.difference)
        }
        for (place, exception) in places
        where count(before: place, sum(before: place.key, engine)) <= index {
            difference += exception
        }
        return engine.tree.select(index - difference, in: sequence)
    }

    // MARK: Entries by themselves

    /// How many of the entries themselves count.
    var countedCount: Int { chunks.reduce(0) { $0 + $1.counted } }

    /// Whether a node is an entry that counts.
    func isCounted(_ node: NodeID, _ engine: Engine) -> Bool {
        if chunks.isEmpty { return false }
        let (chunk, index) = spot(notBefore: engine.tree.locate(node).key, engine)
        let entries = chunks[chunk].entries
        return index < entries.count && entries[index].node == node && entries[index].isCounted
    }

    /// The node of the entry with `index` counted ones before it, leaving `other` out; 0 if there
    /// is none.
    func countedNode(at index: Int, except other: NodeID, _ engine: Engine) -> NodeID {
        var left = index
        let isOtherCounted = other != 0 && isCounted(other, engine)
        let otherChunk =
            isOtherCounted ? spot(notBefore: engine.tree.locate(other).key, engine).chunk : -1
        for (number, chunk) in chunks.enumerated() {
            let count = chunk.counted - (number == otherChunk ? 1 : 0)
            if left >= count {
                left -= count
                continue
            }
            for entry in chunk.entries where entry.isCounted && entry.node != other {
                if left == 0 { return entry.node }
                left -= 1
            }
        }
        return 0
    }
}

extension RandomAccessCollection where Index == Int {
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
