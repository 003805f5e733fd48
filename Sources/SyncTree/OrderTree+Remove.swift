extension OrderTree {
    /// Takes a handle out of its sequence.
    package func remove(_ handle: Handle, from sequence: SequenceID) {
        let leaf = leafOf[Int(handle)]
        precondition(leaf != 0, "only what stands in a sequence can be removed")
        let position = positionInLeaf(handle, leaf)
        let block = block(leaf)
        let bits = liveBits(block)
        if bits >> UInt64(position) & 1 != 0 { addToAncestors(of: leaf, -1) }
        let entries = block + Word.body
        let count = Int(block[Word.count])
        (entries + position).update(from: entries + position + 1, count: count - position - 1)
        let below = bits & (1 << UInt64(position) - 1)
        setLiveBits(block, below | (bits >> 1 & ~(1 << UInt64(position) - 1)))
        block[Word.count] = UInt32(count - 1)
        leafOf[Int(handle)] = 0
        if count - 1 <= OrderTree.leafCapacity / 4 { shrink(leaf, in: sequence) }
    }

    private static func capacity(level: UInt32) -> Int {
        level == 0 ? leafCapacity : innerCapacity
    }

    /// Merges an almost empty block with a neighbour, if the result has some room left.
    private func shrink(_ index: Block, in sequence: SequenceID) {
        let parent = block(index)[Word.parent]
        guard parent != 0 else {
            collapseRoot(index, in: sequence)
            return
        }
        let slot = Int(block(index)[Word.slot])
        let siblings = Int(block(parent)[Word.count])
        let limit = OrderTree.capacity(level: block(index)[Word.level]) * 3 / 4
        let count = Int(block(index)[Word.count])
        if slot > 0 {
            let left = block(parent)[Word.children + slot - 1]
            if count + Int(block(left)[Word.count]) <= limit || count == 0 {
                merge(index, into: left, in: sequence)
                return
            }
        }
        if slot + 1 < siblings {
            let right = block(parent)[Word.children + slot + 1]
            if count + Int(block(right)[Word.count]) <= limit || count == 0 {
                merge(right, into: index, in: sequence)
                return
            }
        }
        // An empty only child goes, and its parent may follow.
        if count == 0 { drop(index, in: sequence) }
    }

    /// Appends the entries of `right` to its left neighbour under the same parent.
    private func merge(_ right: Block, into left: Block, in sequence: SequenceID) {
        let source = block(right)
        let target = block(left)
        let count = Int(target[Word.count])
        let moved = Int(source[Word.count])
        if source[Word.level] == 0 {
            (target + Word.body + count).update(from: source + Word.body, count: moved)
            for entry in 0..<moved { leafOf[Int(source[Word.body + entry])] = left }
            setLiveBits(target, liveBits(target) | liveBits(source) << UInt64(count))
        } else {
            (target + Word.children + count).update(from: source + Word.children, count: moved)
            let live = UInt32(liveBelow(left))
            for index in count..<OrderTree.innerCapacity {
                target[Word.ends + index] = live + source[Word.ends + index - count]
            }
        }
        target[Word.count] = UInt32(count + moved)
        if source[Word.level] != 0 { adopt(from: count, in: left) }
        let parent = block(left)[Word.parent]
        let ends = block(parent) + Word.ends
        ends[Int(target[Word.slot])] = ends[Int(source[Word.slot])]
        drop(right, in: sequence)
    }

    /// Removes a block from its parent. Its entries were moved away, so it counts nothing there.
    private func drop(_ index: Block, in sequence: SequenceID) {
        let gone = block(index)
        if gone[Word.level] == 0 {
            let next = gone[Word.next]
            let previous = gone[Word.previous]
            if next != 0 { block(next)[Word.previous] = previous }
            if previous != 0 { block(previous)[Word.next] = next }
        }
        let parent = gone[Word.parent]
        let slot = Int(gone[Word.slot])
        freeBlock(index)
        let block = block(parent)
        let count = Int(block[Word.count])
        let children = block + Word.children
        let ends = block + Word.ends
        (children + slot).update(from: children + slot + 1, count: count - slot - 1)
        (ends + slot).update(from: ends + slot + 1, count: OrderTree.innerCapacity - slot - 1)
        block[Word.count] = UInt32(count - 1)
        adopt(from: slot, in: parent)
        if count - 1 <= OrderTree.innerCapacity / 4 { shrink(parent, in: sequence) }
    }

    /// Replaces a root with one child by that child, and one with none by an empty leaf.
    private func collapseRoot(_ index: Block, in sequence: SequenceID) {
        var root = index
        while block(root)[Word.level] != 0, block(root)[Word.count] <= 1 {
            let child = block(root)[Word.count] == 1 ? block(root)[Word.children] : 0
            freeBlock(root)
            root = child == 0 ? makeBlock(level: 0) : child
            block(root)[Word.parent] = 0
            block(root)[Word.slot] = 0
        }
        roots[Int(sequence)] = root
    }
}
