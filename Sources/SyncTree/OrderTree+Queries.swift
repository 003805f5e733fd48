/// Where a handle stands.
package struct OrderPosition {
    /// Ascends with the order of one sequence; valid until the next insertion or removal.
    package var key: UInt64
    /// How many live handles of the sequence stand before it.
    package var rank: Int
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
            let entry = block[Word.body + count - 1]
            if block[Word.level] == 0 { return entry }
            index = entry
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

    func firstLeaf(_ sequence: SequenceID) -> Block {
        var index = roots[Int(sequence)]
        while block(index)[Word.level] != 0 { index = block(index)[Word.body] }
        return index
    }

    /// A handle's place in its leaf. There is no early way out: a loop that always runs to the end
    /// compares several entries at a time.
    @inline(__always)
    func positionInLeaf(_ handle: Handle, _ leaf: Block) -> Int {
        let block = block(leaf)
        let entries = block + Word.body
        var found: UInt32 = 0
        for position in 0..<block[Word.count] where entries[Int(position)] == handle {
            found |= position
        }
        return Int(found)
    }

    // MARK: Reading ahead

    /// The leaf a handle stands in; reading it brings the way there into the caches.
    @inline(__always)
    package func leaf(of handle: Handle) -> UInt32 {
        leafOf[Int(handle)]
    }

    /// Reads some of what removing a handle will need, so that it is in the caches then.
    @inline(__always)
    package func touch(_ handle: Handle) -> UInt32 {
        let block = block(leafOf[Int(handle)])
        return block[Word.count] &+ block[Word.body + OrderTree.leafCapacity / 2]
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

    /// Where a handle stands among all, and among the live ones.
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
            let counts = parent + Word.body + OrderTree.innerCapacity
            for index in 0..<Int(slot) { rank &+= counts[index] }
            key |= UInt64(slot) << shift
            shift += 5
            child = parent
        }
        return OrderPosition(key: key, rank: Int(rank))
    }

    /// The live handle with `rank` live ones before it; 0 if there are not so many.
    package func select(_ rank: Int, in sequence: SequenceID) -> Handle {
        guard rank >= 0, rank < liveCount(sequence) else { return 0 }
        var rest = UInt32(rank)
        var index = roots[Int(sequence)]
        while block(index)[Word.level] != 0 {
            let children = block(index) + Word.body
            let counts = children + OrderTree.innerCapacity
            var slot = 0
            while rest >= counts[slot] {
                rest -= counts[slot]
                slot += 1
            }
            index = children[slot]
        }
        let block = block(index)
        return block[Word.body + OrderTree.place(ofBit: Int(rest), in: liveBits(block))]
    }

    /// The place of the n-th set bit, by halving.
    private static func place(ofBit n: Int, in bits: UInt64) -> Int {
        var bits = bits
        var rest = n
        var place = 0
        var width = 32
        while width > 0 {
            let lower = (bits & (1 << UInt64(width) - 1)).nonzeroBitCount
            if rest >= lower {
                rest -= lower
                bits >>= UInt64(width)
                place += width
            }
            width >>= 1
        }
        return place
    }
}
