extension OrderTree {
    /// Traps with a message if an invariant of a sequence does not hold. O(n).
    package func checkInvariants(_ sequence: SequenceID) {
        let root = roots[Int(sequence)]
        precondition(root != 0, "the sequence exists")
        precondition(block(root)[Word.parent] == 0, "a root has no parent")
        precondition(
            block(root)[Word.level] == 0 || block(root)[Word.count] > 1,
            "an inner root has at least two children")
        var previousLeaf: Block = 0
        check(root, &previousLeaf)
        precondition(
            previousLeaf == 0 || block(previousLeaf)[Word.next] == 0, "the last leaf has no next")
    }

    private func check(_ index: Block, _ previousLeaf: inout Block) {
        let block = block(index)
        let count = Int(block[Word.count])
        if block[Word.level] == 0 {
            precondition(count <= OrderTree.leafCapacity, "a leaf fits")
            precondition(count > 0 || block[Word.parent] == 0, "only a lone leaf is empty")
            precondition(block[Word.previous] == previousLeaf, "leaves are linked backwards")
            precondition(
                previousLeaf == 0 || self.block(previousLeaf)[Word.next] == index,
                "leaves are linked forwards")
            precondition(liveBits(block) >> UInt64(count) == 0, "no live bit behind the end")
            for entry in 0..<count {
                precondition(
                    leafOf[Int(block[Word.body + entry])] == index, "handles know their leaf")
            }
            previousLeaf = index
            return
        }
        precondition(count <= OrderTree.innerCapacity && count > 0, "an inner block fits")
        precondition(block[Word.ends - 1] == 0, "the live ends begin at 0")
        let live = block[Word.ends + count - 1]
        for slot in count..<OrderTree.innerCapacity {
            precondition(block[Word.ends + slot] == live, "the last live end is repeated")
        }
        for slot in 0..<count {
            let child = block[Word.children + slot]
            let live = block[Word.ends + slot] - block[Word.ends + slot - 1]
            precondition(self.block(child)[Word.parent] == index, "children know their parent")
            precondition(Int(self.block(child)[Word.slot]) == slot, "children know their slot")
            precondition(
                self.block(child)[Word.level] + 1 == block[Word.level], "levels descend by one")
            precondition(liveBelow(child) == Int(live), "live counts are true")
            check(child, &previousLeaf)
        }
    }
}
