import SyncModel
import SyncTree

/// What operations that are to come will look up: a queue of ids on their way out of memory.
///
/// An id leads to its slot in the table, from there to its thing, then to the thing's content and
/// node, and then to the node's leaf and what stands above that. Each is a stage; an id comes to
/// the next one some look-ups after the one before, when the memory that it asked for there has
/// long arrived.
struct ExpectedReads: ~Copyable {
    struct Item: BitwiseCopyable {
        /// The hash of the item's id, and then its thing's number.
        var number: UInt32
        /// Whether its place matters, or only its content.
        var readsPlace: Bool
        /// The way to the leaf of an index that is given beside the id.
        var approach: Approach?
    }

    private static let capacity = 256
    /// How many look-ups before its own an id comes to its thing.
    private static let lead = 24
    /// How many look-ups after its thing an id comes to its content, its leaf and what stands above
    /// that.
    static let lags = (content: 8, leaf: 16, parent: 20)

    private let items: UnsafeMutablePointer<Item>
    /// How many ids were entered, and how many of them were looked up.
    private var entered = 0
    private var used = 0
    /// The id that comes to its thing next; those before it are as far as they lag behind it.
    private var front = 0
    /// How many nodes will be made.
    var newNodeCount = 0

    init() {
        items = .allocate(capacity: ExpectedReads.capacity)
    }

    deinit {
        items.deallocate()
    }

    /// Enters an id; one too many is left out.
    @inline(__always)
    mutating func append(_ item: Item) {
        guard entered - used < ExpectedReads.capacity else { return }
        slot(entered).initialize(to: item)
        front = min(front, entered)
        entered += 1
    }

    /// Notes the way to an index beside the id that was entered last.
    @inline(__always)
    mutating func note(_ approach: Approach) {
        if entered > used { slot(entered - 1).pointee.approach = approach }
    }

    /// Whether no id is expected, and none that was is on its way.
    var isIdle: Bool {
        @inline(__always) get {
            used == entered && front >= entered &+ ExpectedReads.lags.parent
        }
    }

    /// The id that has to come to its thing before the next look-up; `nil` if none has.
    @inline(__always)
    mutating func advance() -> Int? {
        guard front < min(used + ExpectedReads.lead, entered + ExpectedReads.lags.parent) else {
            return nil
        }
        defer { front += 1 }
        return front
    }

    /// The item of an id by the number of those entered before it; `nil` if it is not expected.
    subscript(_ index: Int) -> UnsafeMutablePointer<Item>? {
        @inline(__always) get {
            UInt(bitPattern: index - used) < UInt(bitPattern: entered - used) ? slot(index) : nil
        }
    }

    /// The item of the next look-up, which is not expected any more then; `nil` if none is.
    @inline(__always)
    mutating func take() -> Item? {
        guard used < entered else { return nil }
        used += 1
        return slot(used - 1).pointee
    }

    /// Forgets what did not come.
    mutating func clear() {
        entered = 0
        used = 0
        front = 0
        newNodeCount = 0
    }

    @inline(__always)
    private func slot(_ index: Int) -> UnsafeMutablePointer<Item> {
        items + index & (ExpectedReads.capacity - 1)
    }
}
