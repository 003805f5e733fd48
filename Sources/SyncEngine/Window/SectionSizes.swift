import SyncBytes
package import SyncModel
import SyncTree

/// The sizes that a section's items have. Valid until the engine is changed.
package struct SectionSizes {
    fileprivate let engine: Engine
    fileprivate let sequence: OrderTree.SequenceID
    /// How many items there are.
    package let count: Int

    /// How many sizes are read at once: few enough to be still in the cache when they are taken.
    #if DEBUG
        // Short random tests must fill several.
        private static let pieceLength = 5
    #else
        private static let pieceLength = 2048
    #endif

    /// Calls `take` with the sizes of all items, in order, some at a time; `nil` for those that
    /// have none.
    ///
    /// # Performance
    /// O(n), some tens of nanoseconds an item: only the size of each content is read.
    package func forEachPiece(_ take: (UnsafeBufferPointer<ListSize?>) -> Void) {
        let length = min(count, SectionSizes.pieceLength)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: length) { numbers in
            withUnsafeTemporaryAllocation(of: ListSize?.self, capacity: length) { sizes in
                var filled = 0
                engine.tree.forEach(sequence) { node, isLive in
                    guard isLive else { return }
                    numbers.initializeElement(at: filled, to: node)
                    filled += 1
                    guard filled == length else { return }
                    engine.readSizes(numbers, into: sizes)
                    take(UnsafeBufferPointer(sizes))
                    filled = 0
                }
                let rest = UnsafeMutableBufferPointer(rebasing: numbers[..<filled])
                engine.readSizes(rest, into: sizes)
                take(UnsafeBufferPointer(rebasing: sizes[..<filled]))
            }
        }
    }
}

extension Engine {
    /// Calls `body` with each section's content and the sizes of its items, in order, as the room
    /// is now.
    package func forEachSection(_ body: (SectionContent, SectionSizes) -> Void) {
        tree.forEach(sectionSequence) { node, isLive in
            guard isLive else { return }
            let record = nodes[node]
            let count = tree.liveCount(record.sequence)
            body(
                section(things[record.thing].body).content,
                SectionSizes(engine: self, sequence: record.sequence, count: count))
        }
    }

    /// Reads the sizes of the items in some nodes. It overwrites the numbers.
    ///
    /// Items may be scattered over memory, so each step towards a content is prefetched some items
    /// ahead.
    fileprivate func readSizes(
        _ numbers: UnsafeMutableBufferPointer<UInt32>,
        into sizes: UnsafeMutableBufferPointer<ListSize?>
    ) {
        let lead = 12
        let count = numbers.count
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
            sizes.initializeElement(at: last, to: size)
        }
    }
}
