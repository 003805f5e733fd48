import CMemory

/// Prefetching the memory that later calls read.
extension OrderTree {
    /// Prefetches the entry that leads from a handle to its leaf. The handle may be in no sequence
    /// yet.
    @inline(__always)
    package func prefetchLeafNumber(of handle: Handle) {
        prefetch(leafOf + Int(handle))
    }

    /// Prefetches the leaf of a handle.
    @inline(__always)
    package func prefetchLeaf(of handle: Handle) {
        prefetchBlock(leafOf[Int(handle)])
    }

    /// Prefetches the block above the leaf of a handle. It reads that leaf, which should have been
    /// prefetched.
    @inline(__always)
    package func prefetchParent(ofLeafOf handle: Handle) {
        prefetchBlock(block(leafOf[Int(handle)])[Word.parent])
    }

    /// Prefetches and returns the block above the leaf of the live handle with `rank` live ones
    /// before it; `nil` if there is no such handle or no such block.
    @inline(__always)
    package func approach(_ rank: Int, in sequence: SequenceID) -> Approach? {
        guard rank >= 0, rank < liveCount(sequence) else { return nil }
        var way = Approach(block: roots[Int(sequence)], rank: UInt32(rank))
        let level = block(way.block)[Word.level]
        guard level > 0 else { return nil }
        for _ in 1..<level { way = step(down: way) }
        prefetchBlock(way.block)
        return way
    }

    /// Prefetches the leaf that an approach leads to. If the tree has changed since, it may be
    /// another leaf.
    @inline(__always)
    package func prefetchLeaf(of way: Approach) {
        let block = block(way.block)
        let slot = count_up_to(block + Word.ends, UInt32(OrderTree.innerCapacity), way.rank)
        prefetchBlock(block[Word.children + min(Int(slot), OrderTree.innerCapacity - 1)])
    }

    /// Prefetches the leaf of a place.
    @inline(__always)
    package func prefetchLeaf(of place: LivePlace) {
        prefetchBlock(place.leaf)
    }

    @inline(__always)
    private func prefetchBlock(_ index: Block) {
        let block = UnsafeRawPointer(block(index))
        for line in 0..<OrderTree.blockWords / 16 { prefetch(block + 64 * line) }
    }
}
