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
