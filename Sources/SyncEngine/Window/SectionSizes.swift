import SyncBytes
import SyncTree

/// The sizes that a section's items have.
package enum SectionSizes: Sendable, Equatable {
    /// None of its items, which are so many, has a size.
    case absent(count: Int)
    /// Item by item, `nil` for one without; at least one has a size.
    case given([Size?])
}

extension Engine {
    /// Calls `body` with each section's content and the sizes of its items, in order, as the room is
    /// now.
    ///
    /// # Performance
    /// O(n), some tens of nanoseconds an item: of a content just the size is read.
    package func forEachSection(_ body: (SectionContent, SectionSizes) -> Void) {
        tree.forEach(sectionSequence) { node, isLive in
            guard isLive else { return }
            let record = nodes[node]
            body(section(things[record.thing].body).content, sizes(in: record.sequence))
        }
    }

    private func sizes(in sequence: OrderTree.SequenceID) -> SectionSizes {
        let count = tree.liveCount(sequence)
        // An empty array that is made so is one for all threads, and its count is written.
        guard count > 0 else { return .absent(count: 0) }
        var numbers = liveNodes(in: sequence, count: count)
        let sizes = numbers.withUnsafeMutableBufferPointer { nodes in
            [Size?](unsafeUninitializedCapacity: count) { sizes, initialized in
                initialized = read(nodes, into: sizes) ? count : 0
            }
        }
        return sizes.isEmpty ? .absent(count: count) : .given(sizes)
    }

    private func liveNodes(in sequence: OrderTree.SequenceID, count: Int) -> [NodeID] {
        Array(unsafeUninitializedCapacity: count) { found, initialized in
            tree.forEach(sequence) { node, isLive in
                guard isLive else { return }
                found.initializeElement(at: initialized, to: node)
                initialized += 1
            }
        }
    }

    /// Reads the sizes of the items in some nodes, whose numbers are used up. Sizes are written only if at
    /// least one item has one.
    ///
    /// The items may lie all over the memory: each step towards a content is taken for some items ahead.
    ///
    /// - Returns: whether one has.
    private func read(
        _ numbers: UnsafeMutableBufferPointer<UInt32>, into sizes: UnsafeMutableBufferPointer<Size?>
    ) -> Bool {
        let lead = 12
        let count = numbers.count
        var isGiven = false
        // The numbers are those of nodes, then of things, then of bodies.
        for step in 0..<(count + 3 * lead) {
            if step < count { nodes.prefetchRecord(numbers[step]) }
            let second = step - lead
            if second >= 0, second < count {
                numbers[second] = nodes[numbers[second]].thing
                things.prefetchRecord(numbers[second])
            }
            let third = step - 2 * lead
            if third >= 0, third < count {
                numbers[third] = things[numbers[third]].body
                blobs.prefetchBlob(numbers[third])
            }
            let last = step - 3 * lead
            guard last >= 0 else { continue }
            let size = ContentEditor.size(in: Body(blobs.bytes(numbers[last])).content)
            guard isGiven || size != nil else { continue }
            if !isGiven {
                isGiven = true
                for index in 0..<last { sizes.initializeElement(at: index, to: nil) }
            }
            sizes.initializeElement(at: last, to: size)
        }
        return isGiven
    }
}
