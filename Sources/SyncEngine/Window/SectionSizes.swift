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

    /// The items may lie all over the memory: each step towards a content is taken for some items ahead.
    private func sizes(in sequence: OrderTree.SequenceID) -> SectionSizes {
        let lead = 12
        // Of nodes, then of things, then of bodies.
        var numbers: [UInt32] = []
        numbers.reserveCapacity(tree.liveCount(sequence))
        tree.forEach(sequence) { node, isLive in
            if isLive { numbers.append(node) }
        }
        var sizes: [Size?] = []
        numbers.withUnsafeMutableBufferPointer { numbers in
            let count = numbers.count
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
                if sizes.isEmpty {
                    guard size != nil else { continue }
                    sizes.reserveCapacity(count)
                    for _ in 0..<last { sizes.append(nil) }
                }
                sizes.append(size)
            }
        }
        return sizes.isEmpty ? .absent(count: numbers.count) : .given(sizes)
    }
}
