import SyncModel
import SyncTree

/// The ids that announced operations will look up: a queue whose memory is prefetched in stages.
///
/// An id leads to its slot in the table, from there to its thing, then to the thing's content and
/// node, and then to the node's leaf and the block above it. Each is a stage. An id reaches the
/// next stage some look-ups later, when the memory that the stage before prefetched has arrived.
struct ExpectedReads: ~Copyable {
    struct Item: BitwiseCopyable {
        /// The hash of the item's id, later its thing's number.
        var number: UInt32
        /// Whether its place matters, or only its content.
        var readsPlace: Bool
        /// The way to the leaf of an index in the same operation.
        var approach: Approach?
    }

    private static let capacity = 256
    /// How many look-ups before its own an id reaches its thing.
    private static let lead = 24
    /// How many look-ups after its thing an id reaches its content, its leaf and the block above
    /// that.
    static let lags = (content: 8, leaf: 16, parent: 20)

    /// Allocated for the first id, since most rooms are never announced any.
    private var items: UnsafeMutablePointer<Item>?
    /// How many ids were entered, and how many of them were looked up.
    private var entered = 0
    private var used = 0
    /// The id that reaches its thing next. The later stages of the ids before it lag behind by
    /// ``lags``.
    private var front = 0
    /// How many nodes will be made.
    var newNodeCount = 0

    deinit {
        items?.deallocate()
    }

    /// The memory it takes.
    var byteCount: Int {
        items == nil ? 0 : ExpectedReads.capacity * MemoryLayout<Item>.stride
    }

    /// Adds an id; drops it if the queue is full.
    @inline(__always)
    mutating func append(_ item: Item) {
        guard entered - used < ExpectedReads.capacity else { return }
        if items == nil { items = .allocate(capacity: ExpectedReads.capacity) }
        slot(entered).initialize(to: item)
        front = min(front, entered)
        entered += 1
    }

    /// Notes the way to an index for the id that was added last.
    @inline(__always)
    mutating func note(_ approach: Approach) {
        if entered > used { slot(entered - 1).pointee.approach = approach }
    }

    /// Whether no id is expected, and no former one is still in a stage.
    var isIdle: Bool {
        @inline(__always) get {
            used == entered && front >= entered &+ ExpectedReads.lags.parent
        }
    }

    /// The id that must reach its thing before the next look-up; `nil` if none must.
    @inline(__always)
    mutating func advance() -> Int? {
        guard front < min(used + ExpectedReads.lead, entered + ExpectedReads.lags.parent) else {
            return nil
        }
        defer { front += 1 }
        return front
    }

    /// The item of the id with this number, in the order of adding; `nil` if it is not expected.
    subscript(_ index: Int) -> UnsafeMutablePointer<Item>? {
        @inline(__always) get {
            UInt(bitPattern: index - used) < UInt(bitPattern: entered - used) ? slot(index) : nil
        }
    }

    /// Takes the item of the next look-up off the queue; `nil` if there is none.
    @inline(__always)
    mutating func take() -> Item? {
        guard used < entered else { return nil }
        used += 1
        return slot(used - 1).pointee
    }

    /// Drops all that is expected.
    mutating func clear() {
        entered = 0
        used = 0
        front = 0
        newNodeCount = 0
    }

    @inline(__always)
    private func slot(_ index: Int) -> UnsafeMutablePointer<Item> {
        guard let items else { preconditionFailure("what was never entered is not read") }
        return items + index & (ExpectedReads.capacity - 1)
    }
}
