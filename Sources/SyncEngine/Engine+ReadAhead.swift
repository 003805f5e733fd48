import SyncTree

/// What operations that are to come will look up.
struct ExpectedReads: ~Copyable {
    struct Item: BitwiseCopyable {
        /// The hash of the item's id, and then its number.
        var number: UInt32
        /// Whether its place matters, or only its content.
        var readsPlace: Bool
    }

    var items = Stack<Item>()
    /// How many nodes will be made.
    var newNodeCount = 0

    mutating func clear() {
        items.removeAll()
        newNodeCount = 0
    }
}

/// Reading ahead: the memory that a transaction needs lies all over a room, and in a large one each
/// read of it waits for the one before. Who has several transactions at hand shows them all and then
/// calls ``Engine/readAhead()``, before submitting the first; then their reads overlap, and an edit among
/// a million items costs hardly more than one among a thousand.
///
/// Nothing depends on it: what was shown need not come, and what comes need not have been shown.
extension Engine {
    /// How many transactions are best shown at once: the memory of more would push itself out of the
    /// caches.
    package static let readAheadCount = 32

    /// Shows a transaction that may come.
    ///
    /// # Performance
    /// O(1) for each operation, O(log n) for one with an index.
    package func expect(_ transaction: PackedTransaction) {
        var count = 0
        transaction.forEachOperation { operation in
            expect(operation)
            count += 1
            return count < Engine.readAheadCount
        }
    }

    private func expect(_ operation: OperationView) {
        switch operation.kind {
        case .update, .increment: expect(operation.id, readsPlace: false)
        case .delete: expect(operation.id, readsPlace: true)
        case .insert:
            expect(operation.id, readsPlace: false)
            expect(PlacementView(operation.placement))
        case .move:
            expect(operation.id, readsPlace: true)
            expect(PlacementView(operation.placement))
        case .insertSection, .deleteSection, .moveSection, .updateSection: break
        }
    }

    private func expect(_ id: UnsafeRawBufferPointer, readsPlace: Bool) {
        let hash = itemTable.hash(id)
        itemTable.prefetchSlot(hash)
        expected.items.append(ExpectedReads.Item(number: hash, readsPlace: readsPlace))
    }

    private func expect(_ placement: PlacementView) {
        let node = nodes.number(after: expected.newNodeCount)
        expected.newNodeCount += 1
        nodes.prefetchRecord(node)
        tree.prefetchLeafNumber(of: node)
        switch placement.position {
        case .after(let anchor), .before(let anchor): expect(anchor, readsPlace: true)
        case .index(let index):
            guard let name = placement.section else { return }
            let section = findSection(name)
            guard section != 0 else { return }
            let sequence = things[section].sequence
            // The index may be one of an older base: near is good enough.
            let rank = min(Int(clamping: index), tree.liveCount(sequence)) - 1
            guard let place = tree.descend(to: max(rank, 0), in: sequence) else { return }
            tree.prefetchLeaf(of: place)
        case .end: break
        }
    }

    /// Brings nearer what the transactions shown will read. It goes one link further with each pass: the
    /// reads of a pass do not wait for each other.
    package func readAhead() {
        for index in 0..<expected.items.count {
            let number = itemTable.guess(expected.items[index].number)
            expected.items[index].number = number
            things.prefetchRecord(number)
        }
        for index in 0..<expected.items.count {
            let thing = things[expected.items[index].number]
            blobs.prefetchBlob(thing.body)
            guard expected.items[index].readsPlace else { continue }
            nodes.prefetchRecord(thing.node)
            tree.prefetchLeafNumber(of: thing.node)
        }
        for index in 0..<expected.items.count where expected.items[index].readsPlace {
            tree.prefetchLeaf(of: things[expected.items[index].number].node)
        }
        expected.clear()
    }

    // MARK: Many look-ups at once

    /// Where items are; `nil` for those that do not live. O(log n) for each, and for many far less than
    /// one by one.
    package func paths(ofItems ids: [Identifier]) -> [ItemPath?] {
        var paths: [ItemPath?] = []
        paths.reserveCapacity(ids.count)
        for start in stride(from: 0, to: ids.count, by: Engine.readAheadCount) {
            let some = ids[start..<min(start + Engine.readAheadCount, ids.count)]
            for id in some { id.withBytes { expect($0, readsPlace: true) } }
            readAhead()
            for id in some { paths.append(path(ofItem: id)) }
        }
        return paths
    }

    /// The items at some places; `nil` where there is none. O(log n) for each, and for many far less
    /// than one by one.
    package func items(at paths: [ItemPath]) -> [Item?] {
        var items: [Item?] = []
        items.reserveCapacity(paths.count)
        for start in stride(from: 0, to: paths.count, by: Engine.readAheadCount) {
            let end = min(start + Engine.readAheadCount, paths.count)
            appendItems(at: paths[start..<end], to: &items)
        }
        return items
    }

    private func appendItems(at paths: ArraySlice<ItemPath>, to items: inout [Item?]) {
        let places = paths.map { path in
            sequence(ofSectionAt: path.section).flatMap { tree.descend(to: path.item, in: $0) }
        }
        for case let place? in places { tree.prefetchLeaf(of: place) }
        let nodes = places.map { $0.map { tree.handle(at: $0) } ?? 0 }
        for node in nodes { self.nodes.prefetchRecord(node) }
        let things = nodes.map { self.nodes[$0].thing }
        for thing in things { self.things.prefetchRecord(thing) }
        for thing in things { blobs.prefetchBlob(self.things[thing].body) }
        for thing in things { items.append(thing == 0 ? nil : item(self.things[thing].body)) }
    }
}
