extension OrderTree {
    /// Puts a handle directly behind another one, or first.
    ///
    /// - Parameters:
    ///   - handle: one that stands nowhere yet.
    ///   - left: the handle to stand behind, in `sequence`; 0 for the start.
    package func insert(
        _ handle: Handle, after left: Handle, in sequence: SequenceID, isLive: Bool = true
    ) {
        reserve(handle)
        precondition(handle != 0 && leafOf[Int(handle)] == 0, "a handle stands in one place")
        var leaf: Block
        var position: Int
        if left == 0 {
            leaf = firstLeaf(sequence)
            position = 0
        } else {
            leaf = leafOf[Int(left)]
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
        var child = block(index)
        while child[Word.parent] != 0 {
            let parent = block(child[Word.parent])
            let counts = parent + Word.body + OrderTree.innerCapacity
            let slot = Int(child[Word.slot])
            counts[slot] = UInt32(bitPattern: Int32(bitPattern: counts[slot]) &+ difference)
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
        // Who appends keeps full leaves behind; anyone else halves.
        let isAppending = position == count && source[Word.next] == 0
        let kept = isAppending ? count : count / 2
        let moved = count - kept
        (target + Word.body).update(from: source + Word.body + kept, count: moved)
        for entry in 0..<moved { leafOf[Int(target[Word.body + entry])] = right }
        let bits = liveBits(source)
        setLiveBits(target, kept == 64 ? 0 : bits >> UInt64(kept))
        setLiveBits(source, kept == 64 ? bits : bits & (1 << UInt64(kept) - 1))
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

    /// Enters a new block in its left neighbour's parent; `live` handles went over to it.
    private func addChild(
        _ right: Block, live: Int, behind left: Block, in sequence: SequenceID
    ) {
        if block(left)[Word.parent] == 0 {
            growRoot(left, live: liveBelow(left) + live, in: sequence)
        }
        var parent = block(left)[Word.parent]
        var slot = Int(block(left)[Word.slot])
        if Int(block(parent)[Word.count]) == OrderTree.innerCapacity {
            splitInner(parent, inserting: slot + 1, in: sequence)
            parent = block(left)[Word.parent]
            slot = Int(block(left)[Word.slot])
        }
        let counts = block(parent) + Word.body + OrderTree.innerCapacity
        counts[slot] -= UInt32(live)
        insert(child: right, live: UInt32(live), into: parent, at: slot + 1)
    }

    private func growRoot(_ old: Block, live: Int, in sequence: SequenceID) {
        let root = makeBlock(level: block(old)[Word.level] + 1)
        roots[Int(sequence)] = root
        insert(child: old, live: UInt32(live), into: root, at: 0)
    }

    private func insert(child: Block, live: UInt32, into parent: Block, at slot: Int) {
        let block = block(parent)
        let count = Int(block[Word.count])
        let children = block + Word.body
        let counts = children + OrderTree.innerCapacity
        (children + slot + 1).update(from: children + slot, count: count - slot)
        (counts + slot + 1).update(from: counts + slot, count: count - slot)
        children[slot] = child
        counts[slot] = live
        block[Word.count] = UInt32(count + 1)
        adopt(from: slot, in: parent)
    }

    /// Tells the children from `slot` on where they stand.
    func adopt(from slot: Int, in parent: Block) {
        let block = block(parent)
        for index in slot..<max(slot, Int(block[Word.count])) {
            let child = self.block(block[Word.body + index])
            child[Word.parent] = parent
            child[Word.slot] = UInt32(index)
        }
    }

    private func splitInner(_ left: Block, inserting slot: Int, in sequence: SequenceID) {
        let right = makeBlock(level: block(left)[Word.level])
        let source = block(left)
        let target = block(right)
        let count = Int(source[Word.count])
        // Behind the last child it is mostly appending that goes on.
        let kept = slot == count ? count - count / 4 : count / 2
        let moved = count - kept
        let capacity = OrderTree.innerCapacity
        (target + Word.body).update(from: source + Word.body + kept, count: moved)
        (target + Word.body + capacity).update(
            from: source + Word.body + capacity + kept, count: moved)
        source[Word.count] = UInt32(kept)
        target[Word.count] = UInt32(moved)
        adopt(from: 0, in: right)
        addChild(right, live: liveBelow(right), behind: left, in: sequence)
    }
}
