import CMemory

/// Bringing nearer what other calls will read, without waiting for it.
extension OrderTree {
    /// The way to the leaf that a handle stands in; it may also stand nowhere yet.
    @inline(__always)
    package func prefetchLeafNumber(of handle: Handle) {
        prefetch(leafOf + Int(handle))
    }

    /// The leaf that a handle stands in.
    @inline(__always)
    package func prefetchLeaf(of handle: Handle) {
        prefetchBlock(leafOf[Int(handle)])
    }

    /// What stands above the leaf that a handle stands in, which has arrived.
    @inline(__always)
    package func prefetchParent(ofLeafOf handle: Handle) {
        prefetchBlock(block(leafOf[Int(handle)])[Word.parent])
    }

    /// The block above the leaf where the live handle stands that has `rank` live ones before it;
    /// `nil` if there are not so many or there is no such block.
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

    /// The leaf that an approach leads to. The tree may have changed since: then maybe another one.
    @inline(__always)
    package func prefetchLeaf(of way: Approach) {
        let block = block(way.block)
        let slot = count_up_to(block + Word.ends, UInt32(OrderTree.innerCapacity), way.rank)
        prefetchBlock(block[Word.children + min(Int(slot), OrderTree.innerCapacity - 1)])
    }

    /// The leaf of a place.
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
