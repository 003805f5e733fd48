extension OrderTree {
    /// Puts a handle directly behind another one, or first.
    ///
    /// - Parameters:
    ///   - handle: one that stands nowhere yet.
    ///   - left: the handle to stand behind, in `sequence`; 0 for the start.
    ///   - found: the place of `left`, if it is known. It saves reading the number of its leaf.
    package func insert(
        _ handle: Handle, after left: Handle, foundAt found: LivePlace? = nil,
        in sequence: SequenceID, isLive: Bool = true
    ) {
        reserve(handle)
        precondition(handle != 0 && leafOf[Int(handle)] == 0, "a handle stands in one place")
        var leaf: Block
        var position: Int
        if left == 0 {
            leaf = firstLeaf(sequence)
            position = 0
        } else {
            leaf = found?.leaf ?? leafOf[Int(left)]
            position = positionInLeaf(left, leaf) + 1
        }
        if Int(block(leaf)[Word.count]) == OrderTree.leafCapacity {
            (leaf, position) = splitLeaf(leaf, inserting: position, in: sequence)
        }
        insert(handle, into: leaf, at: position, isLive: isLive)
        if isLive { addToAncestors(of: leaf, 1) }
    }

    private func insert(_ handle: Handle, into leaf: Block, at position: Int, isLive: Bool) {
        let block = block(leaf)
        let count = Int(block[Word.count])
        let entries = block + Word.body
        (entries + position + 1).update(from: entries + position, count: count - position)
        entries[position] = handle
        let bits = liveBits(block)
        let below = bits & (1 << UInt64(position) - 1)
        let above = (bits & ~(1 << UInt64(position) - 1)) << 1
        setLiveBits(block, below | above | (isLive ? 1 << UInt64(position) : 0))
        block[Word.count] = UInt32(count + 1)
        leafOf[Int(handle)] = leaf
    }

    /// Adds to the live counts above a block.
    func addToAncestors(of index: Block, _ difference: Int32) {
        let difference = UInt32(bitPattern: difference)
        var child = block(index)
        while child[Word.parent] != 0 {
            let parent = block(child[Word.parent])
            let ends = parent + Word.ends
            let slot = child[Word.slot]
            for other in 0..<UInt32(OrderTree.innerCapacity) {
                ends[Int(other)] &+= other >= slot ? difference : 0
            }
            child = parent
        }
    }

    // MARK: Splitting

    /// Makes room in a full leaf.
    ///
    /// - Returns: the leaf and the position there at which to insert.
    private func splitLeaf(
        _ leaf: Block, inserting position: Int, in sequence: SequenceID
    ) -> (Block, Int) {
        let right = makeBlock(level: 0)
        let source = block(leaf)
        let target = block(right)
        let count = Int(source[Word.count])
        // An append leaves the old leaf full. Any other insert splits it in half.
        let isAppending = position == count && source[Word.next] == 0
        let kept = isAppending ? count : count / 2
        let moved = count - kept
        (target + Word.body).update(from: source + Word.body + kept, count: moved)
        for entry in 0..<moved { leafOf[Int(target[Word.body + entry])] = right }
        let bits = liveBits(source)
        setLiveBits(target, bits >> UInt64(kept))
        setLiveBits(source, bits & (1 << UInt64(kept) - 1))
        source[Word.count] = UInt32(kept)
        target[Word.count] = UInt32(moved)
        link(right, behind: leaf)
        let movedLive = liveBits(block(right)).nonzeroBitCount
        addChild(right, live: movedLive, behind: leaf, in: sequence)
        return position <= kept && !isAppending ? (leaf, position) : (right, position - kept)
    }

    private func link(_ right: Block, behind left: Block) {
        let next = block(left)[Word.next]
        block(right)[Word.next] = next
        block(right)[Word.previous] = left
        block(left)[Word.next] = right
        if next != 0 { block(next)[Word.previous] = right }
    }

    /// Adds a new block to its left neighbour's parent. `live` live handles were moved from that
    /// neighbour to it.
    private func addChild(
        _ right: Block, live: Int, behind left: Block, in sequence: SequenceID
    ) {
        if block(left)[Word.parent] == 0 {
            growRoot(left, live: liveBelow(left) + live, in: sequence)
        }
        var parent = block(left)[Word.parent]
        let slot = Int(block(left)[Word.slot])
        if Int(block(parent)[Word.count]) == OrderTree.innerCapacity {
            splitInner(parent, inserting: slot + 1, in: sequence)
            parent = block(left)[Word.parent]
        }
        insert(right, live: UInt32(live), behind: Int(block(left)[Word.slot]), in: parent)
    }

    /// Puts a new root above the old one, its first child. It counts `live` handles.
    private func growRoot(_ old: Block, live: Int, in sequence: SequenceID) {
        let root = makeBlock(level: block(old)[Word.level] + 1)
        roots[Int(sequence)] = root
        let block = block(root)
        block[Word.count] = 1
        block[Word.children] = old
        (block + Word.ends).update(repeating: UInt32(live), count: OrderTree.innerCapacity)
        adopt(from: 0, in: root)
    }

    /// Puts a child behind another one, whose live count still includes the new child's handles.
    private func insert(_ child: Block, live: UInt32, behind slot: Int, in parent: Block) {
        let block = block(parent)
        let count = Int(block[Word.count])
        let children = block + Word.children
        let ends = block + Word.ends
        (children + slot + 2).update(from: children + slot + 1, count: count - slot - 1)
        (ends + slot + 1).update(from: ends + slot, count: OrderTree.innerCapacity - slot - 1)
        children[slot + 1] = child
        ends[slot] -= live
        block[Word.count] = UInt32(count + 1)
        adopt(from: slot + 1, in: parent)
    }

    /// Updates the parent and the slot in the children from `slot` on.
    func adopt(from slot: Int, in parent: Block) {
        let block = block(parent)
        for index in slot..<max(slot, Int(block[Word.count])) {
            let child = self.block(block[Word.children + index])
            child[Word.parent] = parent
            child[Word.slot] = UInt32(index)
        }
    }

    private func splitInner(_ left: Block, inserting slot: Int, in sequence: SequenceID) {
        let right = makeBlock(level: block(left)[Word.level])
        let source = block(left)
        let target = block(right)
        let count = Int(source[Word.count])
        // An insert behind the last child is mostly an append, so the left block stays fuller than
        // half.
        let kept = slot == count ? count - count / 4 : count / 2
        let moved = count - kept
        (target + Word.children).update(from: source + Word.children + kept, count: moved)
        let live = source[Word.ends + kept - 1]
        for index in 0..<OrderTree.innerCapacity {
            target[Word.ends + index] = source[Word.ends + min(kept + index, count - 1)] - live
        }
        (source + Word.ends + kept).update(repeating: live, count: OrderTree.innerCapacity - kept)
        source[Word.count] = UInt32(kept)
        target[Word.count] = UInt32(moved)
        adopt(from: 0, in: right)
        addChild(right, live: liveBelow(right), behind: left, in: sequence)
    }
}
