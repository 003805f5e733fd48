import CMemory

/// Where a handle stands.
package struct OrderPosition {
    /// Ascends in the order of the sequence; valid until the next insertion or removal.
    package var key: UInt64
    /// How many live handles of the sequence stand before it.
    package var rank: Int
}

/// Where a live handle stands: its leaf, and how many live handles of that leaf stand before it.
/// The leaf is valid until the next insertion or removal, the number until the next change.
package struct LivePlace: BitwiseCopyable {
    var leaf: OrderTree.Block
    var rank: UInt32
}

/// A point on the way down to a live handle: a block above its leaf, and how many live handles
/// below that block stand before it.
package struct Approach: BitwiseCopyable {
    var block: OrderTree.Block
    var rank: UInt32
}

extension OrderTree {
    // MARK: Neighbours

    /// The sequence's first handle, dead or alive; 0 if it is empty.
    package func first(_ sequence: SequenceID) -> Handle {
        let leaf = block(firstLeaf(sequence))
        return leaf[Word.count] == 0 ? 0 : leaf[Word.body]
    }

    /// The sequence's last handle, dead or alive; 0 if it is empty.
    package func last(_ sequence: SequenceID) -> Handle {
        var index = roots[Int(sequence)]
        while true {
            let block = block(index)
            let count = Int(block[Word.count])
            if count == 0 { return 0 }
            if block[Word.level] == 0 { return block[Word.body + count - 1] }
            index = block[Word.children + count - 1]
        }
    }

    /// The handle to the right, dead or alive; 0 at the end.
    package func next(_ handle: Handle) -> Handle {
        let leaf = leafOf[Int(handle)]
        let block = block(leaf)
        let position = positionInLeaf(handle, leaf) + 1
        if position < Int(block[Word.count]) { return block[Word.body + position] }
        let next = block[Word.next]
        return next == 0 ? 0 : self.block(next)[Word.body]
    }

    /// The handle to the left, dead or alive; 0 at the start.
    package func previous(_ handle: Handle) -> Handle {
        let leaf = leafOf[Int(handle)]
        let block = block(leaf)
        let position = positionInLeaf(handle, leaf)
        if position > 0 { return block[Word.body + position - 1] }
        let previous = block[Word.previous]
        if previous == 0 { return 0 }
        let left = self.block(previous)
        return left[Word.body + Int(left[Word.count]) - 1]
    }

    /// Calls `body` with every handle in order and whether it lives.
    package func forEach(_ sequence: SequenceID, _ body: (Handle, Bool) -> Void) {
        var leaf = firstLeaf(sequence)
        while leaf != 0 {
            let block = block(leaf)
            let bits = liveBits(block)
            for position in 0..<Int(block[Word.count]) {
                body(block[Word.body + position], bits >> UInt64(position) & 1 != 0)
            }
            leaf = self.block(leaf)[Word.next]
        }
    }

    /// Calls `body` with every live handle in order.
    ///
    /// # Performance
    /// O(m log n) for m live handles, and less where they stand together; dead ones cost nothing.
    package func forEachLive(_ sequence: SequenceID, _ body: (Handle) -> Void) {
        let count = liveCount(sequence)
        var rank = 0
        while rank < count, let place = descend(to: rank, in: sequence) {
            let leaf = block(place.leaf)
            var bits = liveBits(leaf)
            while bits != 0 {
                body(leaf[Word.body + bits.trailingZeroBitCount])
                bits &= bits - 1
                rank += 1
            }
        }
    }

    func firstLeaf(_ sequence: SequenceID) -> Block {
        var index = roots[Int(sequence)]
        while block(index)[Word.level] != 0 { index = block(index)[Word.children] }
        return index
    }

    /// The position of a handle in its leaf.
    @inline(__always)
    func positionInLeaf(_ handle: Handle, _ leaf: Block) -> Int {
        let block = block(leaf)
        let position = find_number(block + Word.body, block[Word.count], handle)
        precondition(position < block[Word.count], "a handle stands in its leaf")
        return Int(position)
    }

    // MARK: Order statistics

    /// Whether the handle counts.
    package func isLive(_ handle: Handle) -> Bool {
        let leaf = leafOf[Int(handle)]
        return liveBits(block(leaf)) >> UInt64(positionInLeaf(handle, leaf)) & 1 != 0
    }

    /// Makes a handle count, or not.
    package func setLive(_ handle: Handle, _ isLive: Bool) {
        let leaf = leafOf[Int(handle)]
        let block = block(leaf)
        let bit = UInt64(1) << UInt64(positionInLeaf(handle, leaf))
        let bits = liveBits(block)
        guard (bits & bit != 0) != isLive else { return }
        setLiveBits(block, bits ^ bit)
        addToAncestors(of: leaf, isLive ? 1 : -1)
    }

    /// How many live handles of its sequence stand before this one.
    package func rank(_ handle: Handle) -> Int {
        locate(handle).rank
    }

    /// Where a handle stands: among all handles, and among the live ones.
    package func locate(_ handle: Handle) -> OrderPosition {
        let leaf = leafOf[Int(handle)]
        var child = block(leaf)
        let position = positionInLeaf(handle, leaf)
        var rank = UInt32((liveBits(child) & (1 << UInt64(position) - 1)).nonzeroBitCount)
        var key = UInt64(position)
        var shift: UInt64 = 6
        while child[Word.parent] != 0 {
            let parent = block(child[Word.parent])
            let slot = child[Word.slot]
            rank &+= parent[Word.ends + Int(slot) - 1]
            key |= UInt64(slot) << shift
            shift += 5
            child = parent
        }
        return OrderPosition(key: key, rank: Int(rank))
    }

    /// The live handle with `rank` live ones before it; 0 if there are not so many.
    package func select(_ rank: Int, in sequence: SequenceID) -> Handle {
        descend(to: rank, in: sequence).map { handle(at: $0) } ?? 0
    }

    /// The way to the live handle with `rank` live ones before it; `nil` if there are not so many.
    /// The leaf itself is not read.
    @inline(__always)
    package func descend(to rank: Int, in sequence: SequenceID) -> LivePlace? {
        guard rank >= 0, rank < liveCount(sequence) else { return nil }
        var way = Approach(block: roots[Int(sequence)], rank: UInt32(rank))
        // Levels are counted down: reading the level of the leaf would mean to wait for the leaf.
        for _ in 0..<block(way.block)[Word.level] { way = step(down: way) }
        return LivePlace(leaf: way.block, rank: way.rank)
    }

    /// Goes down to a child, which is not read.
    @inline(__always)
    func step(down way: Approach) -> Approach {
        let block = block(way.block)
        let ends = block + Word.ends
        let slot = Int(count_up_to(ends, UInt32(OrderTree.innerCapacity), way.rank))
        return Approach(block: block[Word.children + slot], rank: way.rank &- ends[slot - 1])
    }

    /// The live handle at a place that was found since the last change.
    @inline(__always)
    package func handle(at place: LivePlace) -> Handle {
        let block = block(place.leaf)
        return block[Word.body + OrderTree.place(ofBit: Int(place.rank), in: liveBits(block))]
    }

    /// The position of the n-th set bit, which must exist. It finds the byte first, by counting in
    /// all bytes at once, and then the bit in that byte.
    ///
    /// After Vigna, "Broadword Implementation of Rank/Select Queries", 2008.
    private static func place(ofBit n: Int, in bits: UInt64) -> Int {
        // If all handles live, as is common, it is bit n.
        if bits & (bits &+ 1) == 0 { return n }
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var sums = bits - (bits >> 1 & 0x5555_5555_5555_5555)
        sums = (sums & 0x3333_3333_3333_3333) + (sums >> 2 & 0x3333_3333_3333_3333)
        sums = (sums + (sums >> 4)) & 0x0F0F_0F0F_0F0F_0F0F
        // Byte i becomes the number of bits in the bytes up to i.
        sums = sums &* ones
        let passed = ((UInt64(n) &* ones | highs) &- sums) & highs
        let shift = ((passed >> 7 &* ones) >> 56) * 8
        var byte = bits >> shift & 0xFF
        let before = (sums << 8) >> shift & 0xFF
        for _ in before..<UInt64(n) { byte &= byte - 1 }
        return Int(shift) + byte.trailingZeroBitCount
    }
}
