package import SyncModel
import SyncTree

/// Reading ahead. The memory that a transaction needs is scattered over the room, and in a large
/// room each read of it waits for the one before. A caller that has several transactions queued
/// announces each of them some time before it submits it. Their memory is then prefetched while
/// earlier ones are applied. So an edit among a million items costs little more than one among a
/// thousand.
///
/// Announcements change no result: an announced transaction need not be submitted, and a submitted
/// one need not have been announced.
extension Engine {
    /// How many operations ahead it pays to announce. The memory of more would not stay in the
    /// caches until it is read.
    package static let readAheadCount = 32

    /// Announces a transaction that will be submitted after those announced before.
    ///
    /// # Performance
    /// O(1) for each operation, O(log n) for one with an index.
    package func expect(_ transaction: PackedTransaction) {
        transaction.withView { expect($0) }
    }

    /// Announces a transaction that is lent.
    package func expect(_ transaction: TransactionView) {
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
        expected.append(ExpectedReads.Item(number: hash, readsPlace: readsPlace))
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
            // The index may be counted at an older base: near is good enough.
            let rank = min(Int(clamping: index), tree.liveCount(sequence)) - 1
            if let approach = tree.approach(max(rank, 0), in: sequence) { expected.note(approach) }
        case .end: break
        }
    }

    /// Drops what was announced and not submitted.
    package func expectNothing() {
        expected.clear()
    }

    /// Takes the next expected id off the queue, since its look-up begins, and prefetches memory
    /// for those behind it.
    ///
    /// - Returns: the thing that was guessed for the id; `nil` if none was expected.
    @inline(__always)
    func passExpected() -> ThingID? {
        if expected.isIdle { return nil }
        readAhead()
        return expected.take()?.number
    }

    private func readAhead() {
        while let front = expected.advance() {
            if let item = expected[front] {
                let thing = itemTable.guess(item.pointee.number)
                item.pointee.number = thing
                things.prefetchRecord(thing)
            }
            if let item = expected[front - ExpectedReads.lags.content] {
                readContent(of: item.pointee)
            }
            if let item = expected[front - ExpectedReads.lags.leaf], item.pointee.readsPlace {
                tree.prefetchLeaf(of: things[item.pointee.number].node)
            }
            if let item = expected[front - ExpectedReads.lags.parent], item.pointee.readsPlace {
                tree.prefetchParent(ofLeafOf: things[item.pointee.number].node)
            }
        }
    }

    @inline(__always)
    private func readContent(of item: ExpectedReads.Item) {
        let thing = things[item.number]
        blobs.prefetchBlob(thing.body)
        if let approach = item.approach { tree.prefetchLeaf(of: approach) }
        guard item.readsPlace else { return }
        nodes.prefetchRecord(thing.node)
        tree.prefetchLeafNumber(of: thing.node)
    }

    // MARK: Many nodes at once

    /// Prefetches the first memory that locating a node reads.
    @inline(__always)
    func prefetchNode(_ node: NodeID) {
        nodes.prefetchRecord(node)
        tree.prefetchLeafNumber(of: node)
    }

    /// Prefetches the memory that locating a node reads next. It comes some time after
    /// ``prefetchNode(_:)``.
    @inline(__always)
    func prefetchPlace(of node: NodeID) {
        things.prefetchRecord(nodes[node].thing)
        tree.prefetchLeaf(of: node)
    }

    // MARK: Many look-ups at once

    /// Where items are; `nil` for those that do not live. O(log n) for each, and far quicker for
    /// many than one by one.
    package func paths(ofItems ids: [Identifier]) -> [ItemPath?] {
        var paths: [ItemPath?] = []
        paths.reserveCapacity(ids.count)
        let lead = Engine.readAheadCount
        for id in ids.prefix(lead) { id.withBytes { expect($0, readsPlace: true) } }
        for index in ids.indices {
            if index + lead < ids.count {
                ids[index + lead].withBytes { expect($0, readsPlace: true) }
            }
            paths.append(path(ofItem: ids[index]))
        }
        return paths
    }

    /// The items at some places; `nil` where there is none. O(log n) for each, and far quicker for
    /// many than one by one.
    package func items(at paths: [ItemPath]) -> [Item?] {
        let lead = 8
        var places = [LivePlace?](repeating: nil, count: paths.count)
        // The numbers of nodes, later of things; 0 where there is none.
        var numbers = [UInt32](repeating: 0, count: paths.count)
        var items: [Item?] = []
        items.reserveCapacity(paths.count)
        for step in 0..<(paths.count + 4 * lead) {
            if step < paths.count, let sequence = sequence(ofSectionAt: paths[step].section) {
                places[step] = tree.descend(to: paths[step].item, in: sequence)
                if let place = places[step] { tree.prefetchLeaf(of: place) }
            }
            let second = step - lead
            if places.indices.contains(second), let place = places[second] {
                numbers[second] = tree.handle(at: place)
                nodes.prefetchRecord(numbers[second])
            }
            let third = step - 2 * lead
            if places.indices.contains(third), places[third] != nil {
                numbers[third] = nodes[numbers[third]].thing
                things.prefetchRecord(numbers[third])
            }
            let fourth = step - 3 * lead
            if places.indices.contains(fourth) { blobs.prefetchBlob(things[numbers[fourth]].body) }
            let last = step - 4 * lead
            if places.indices.contains(last) {
                items.append(numbers[last] == 0 ? nil : item(things[numbers[last]].body))
            }
        }
        return items
    }
}
