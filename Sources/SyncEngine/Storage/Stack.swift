import SyncTree

/// A stack of plain values. It keeps its memory when values are removed. So a stack that is filled
/// and cleared with every transaction costs no more than the writing.
///
/// # Performance
/// Everything is O(1), but for ``removeFirst(_:)``. Growing is amortized, and moves no memory where
/// there is much of it.
struct Stack<Element: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity = 4
    private(set) var count = 0

    init() {
        base = SlabMemory.make(bytes: capacity * MemoryLayout<Element>.stride)
            .bindMemory(to: Element.self, capacity: capacity)
    }

    deinit {
        SlabMemory.release(base, bytes: byteCount)
    }

    /// The memory it takes.
    var byteCount: Int { capacity * MemoryLayout<Element>.stride }

    var isEmpty: Bool { count == 0 }

    /// The value at a height below ``count``.
    subscript(_ index: Int) -> Element {
        @inline(__always) get {
            assert(index >= 0 && index < count, "a stack is read below its top")
            return base[index]
        }
        @inline(__always) set {
            assert(index >= 0 && index < count, "a stack is written below its top")
            base[index] = newValue
        }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    @inline(__always)
    mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        count -= 1
        return base[count]
    }

    @inline(__always)
    mutating func removeAll() { count = 0 }

    mutating func removeLast(_ number: Int) { count -= number }

    /// Removes values from the bottom. O(n) for the n values above them.
    mutating func removeFirst(_ number: Int) {
        base.update(from: base + number, count: count - number)
        count -= number
    }

    /// The values at some heights below ``count``; valid until the next change.
    @inline(__always)
    func values(_ heights: Range<Int>) -> UnsafeBufferPointer<Element> {
        assert(
            heights.lowerBound >= 0 && heights.upperBound <= count, "a stack is read below its top")
        return UnsafeBufferPointer(start: base + heights.lowerBound, count: heights.count)
    }

    @inline(never)
    private mutating func grow() {
        base = SlabMemory.grow(base, bytes: byteCount, to: 2 * byteCount)
            .bindMemory(to: Element.self, capacity: 2 * capacity)
        capacity *= 2
    }
}
