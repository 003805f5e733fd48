/// Sequences of handles with order statistics: a forest of B+trees in one slab of 32-bit words.
///
/// A handle is a small number that the caller chooses. Each stands in at most one sequence, and is
/// either *live*, which counts, or *dead*, which only keeps its place. The tree finds a handle's
/// neighbours, the number of live handles before it, and the n-th live handle.
///
/// Invariants:
/// 1. All leaves of a sequence are equally deep. A block is empty only if it is the only one.
/// 2. For each child its parent has the number of live handles below that child and the children
///    before it. The unused rest of that list repeats the last number.
/// 3. `leafOf[h]` is the leaf that holds h, or 0; a block's parent and slot lead back to it.
/// 4. The leaves of a sequence are linked in order.
///
/// # Performance
/// Every operation is O(log n), a neighbour O(1). A handle costs about ten bytes: four for its
/// entry in a leaf three quarters full, four for the way to that leaf, the rest for blocks.
///
/// The caller decides what the handles mean and which are in use.
package final class OrderTree {
    /// A block is a leaf or an inner node; both take as many words, so that one free list serves.
    ///
    ///     word   0       1     2      3      4     5         6, 7        8 ...
    ///     leaf   parent  slot  count  level  next  previous  live bits   entries
    ///     inner  parent  slot  count  level  -     -         -, 0        live ends, then children
    ///
    /// An inner block's live ends are prefix sums over its children, with a 0 before the first. So
    /// the ways down and up need no loop that adds counts. The loops over live ends have a fixed
    /// length and no branches, so they are a few instructions on several numbers at a time.
    enum Word {
        static let parent = 0
        static let slot = 1
        static let count = 2
        static let level = 3
        static let next = 4
        static let previous = 5
        static let live = 6
        static let body = 8
        static let ends = 8
        static let children = 8 + OrderTree.innerCapacity
    }

    // Tiny blocks make short random tests reach every split and merge.
    #if DEBUG
        static let leafCapacity = 4
        static let innerCapacity = 4
    #else
        // A block is four cache lines, no more and no less.
        static let leafCapacity = 56
        static let innerCapacity = 28
    #endif
    /// A leaf's entries are read eight at a time.
    static let blockWords = max(
        Word.body + (leafCapacity + 7) / 8 * 8, Word.children + innerCapacity)

    /// Names a sequence; 0 names none.
    package typealias SequenceID = UInt32
    /// An element of a sequence; 0 stands for "none".
    package typealias Handle = UInt32

    typealias Block = UInt32

    /// The slab: block b starts at word b · blockWords. Block 0 is never used.
    @exclusivity(unchecked) var words: UnsafeMutablePointer<UInt32>
    private var blockCapacity = 4
    private var blockCount = 1
    /// The first free block; a free block's parent word is the next one.
    private var freeBlock: Block = 0

    @exclusivity(unchecked) var leafOf: UnsafeMutablePointer<UInt32>
    private var handleCapacity = 16

    /// The root of each sequence; 0 where the number is free.
    @exclusivity(unchecked) var roots: [Block] = [0]
    private var freeSequences: [SequenceID] = []

    package init() {
        words = OrderTree.makeWords(blockCapacity * OrderTree.blockWords)
        leafOf = OrderTree.makeWords(handleCapacity)
        leafOf.initialize(repeating: 0, count: handleCapacity)
    }

    deinit {
        SlabMemory.release(words, bytes: OrderTree.bytes(blockCapacity * OrderTree.blockWords))
        SlabMemory.release(leafOf, bytes: OrderTree.bytes(handleCapacity))
    }

    /// The memory that is in use or was used.
    package var byteCount: Int {
        OrderTree.bytes(blockCount * OrderTree.blockWords + handleCapacity)
            + (roots.capacity + freeSequences.capacity) * MemoryLayout<UInt32>.stride
    }

    // MARK: Sequences

    /// Makes an empty sequence.
    package func makeSequence() -> SequenceID {
        let root = makeBlock(level: 0)
        if let sequence = freeSequences.popLast() {
            roots[Int(sequence)] = root
            return sequence
        }
        roots.append(root)
        return SequenceID(roots.count - 1)
    }

    /// Frees an empty sequence.
    package func removeSequence(_ sequence: SequenceID) {
        let root = roots[Int(sequence)]
        precondition(root != 0 && isEmpty(sequence), "only an empty sequence can be removed")
        freeBlock(root)
        roots[Int(sequence)] = 0
        freeSequences.append(sequence)
    }

    /// Whether there is no handle in it, dead or alive.
    package func isEmpty(_ sequence: SequenceID) -> Bool {
        let root = roots[Int(sequence)]
        return block(root)[Word.count] == 0
    }

    /// How many handles of the sequence live.
    package func liveCount(_ sequence: SequenceID) -> Int {
        liveBelow(roots[Int(sequence)])
    }

    /// Whether the handle stands in some sequence.
    package func contains(_ handle: Handle) -> Bool {
        Int(handle) < handleCapacity && leafOf[Int(handle)] != 0
    }

    // MARK: Blocks

    @inline(__always)
    func block(_ index: Block) -> UnsafeMutablePointer<UInt32> {
        words + Int(index) * OrderTree.blockWords
    }

    @inline(__always)
    func liveBits(_ block: UnsafeMutablePointer<UInt32>) -> UInt64 {
        UInt64(block[Word.live]) | UInt64(block[Word.live + 1]) << 32
    }

    @inline(__always)
    func setLiveBits(_ block: UnsafeMutablePointer<UInt32>, _ bits: UInt64) {
        block[Word.live] = UInt32(truncatingIfNeeded: bits)
        block[Word.live + 1] = UInt32(truncatingIfNeeded: bits >> 32)
    }

    func liveBelow(_ index: Block) -> Int {
        let block = block(index)
        if block[Word.level] == 0 { return liveBits(block).nonzeroBitCount }
        return Int(block[Word.ends + OrderTree.innerCapacity - 1])
    }

    func makeBlock(level: UInt32) -> Block {
        let made: Block
        if freeBlock != 0 {
            made = freeBlock
            freeBlock = block(made)[Word.parent]
        } else {
            if blockCount == blockCapacity { growBlocks() }
            made = Block(blockCount)
            blockCount += 1
        }
        block(made).update(repeating: 0, count: Word.body)
        block(made)[Word.level] = level
        return made
    }

    func freeBlock(_ index: Block) {
        block(index)[Word.parent] = freeBlock
        freeBlock = index
    }

    @inline(never)
    private func growBlocks() {
        let old = blockCapacity * OrderTree.blockWords
        blockCapacity *= 2
        words = OrderTree.grow(words, from: old, to: blockCapacity * OrderTree.blockWords)
    }

    /// Makes room for the entry that leads from `handle` to its leaf.
    @inline(__always)
    func reserve(_ handle: Handle) {
        if Int(handle) >= handleCapacity { growHandles(handle) }
    }

    @inline(never)
    private func growHandles(_ handle: Handle) {
        let old = handleCapacity
        handleCapacity = max(handleCapacity * 2, Int(handle) + 1)
        leafOf = OrderTree.grow(leafOf, from: old, to: handleCapacity)
        if !SlabMemory.isZero(bytes: OrderTree.bytes(handleCapacity)) {
            (leafOf + old).initialize(repeating: 0, count: handleCapacity - old)
        }
    }

    private static func bytes(_ words: Int) -> Int {
        words * MemoryLayout<UInt32>.stride
    }

    private static func makeWords(_ count: Int) -> UnsafeMutablePointer<UInt32> {
        SlabMemory.make(bytes: bytes(count)).bindMemory(to: UInt32.self, capacity: count)
    }

    private static func grow(
        _ memory: UnsafeMutablePointer<UInt32>, from old: Int, to count: Int
    ) -> UnsafeMutablePointer<UInt32> {
        SlabMemory.grow(memory, bytes: bytes(old), to: bytes(count))
            .bindMemory(to: UInt32.self, capacity: count)
    }
}
