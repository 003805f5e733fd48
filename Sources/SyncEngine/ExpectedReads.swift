import SyncTree

/// What operations that are to come will look up: a queue of ids on their way out of memory.
///
/// An id leads to its slot in the table, from there to its thing, then to the thing's content and node,
/// and then to the node's leaf and what stands above that. Each is a stage; an id comes to the next one
/// some look-ups after the one before, when the memory that it asked for there has long arrived.
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

    /// How many look-ups before its own an id comes to its thing, to its content, to its leaf and to what
    /// stands above that.
    private static let leads = (thing: 24, content: 16, leaf: 8, parent: 4)

    private let items: UnsafeMutablePointer<Item>
    /// How many ids were entered, and how many of them were looked up.
    private var entered = 0
    private var used = 0
    /// How many have come to each stage.
    private var reached = (thing: 0, content: 0, leaf: 0, parent: 0)
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
        self[entered] = item
        entered += 1
    }

    /// Notes the way to an index beside the id that was entered last.
    @inline(__always)
    mutating func note(_ approach: Approach) {
        if entered > used { self[entered - 1].approach = approach }
    }

    /// Takes note of a look-up; `false` if it was not expected.
    @inline(__always)
    mutating func pass() -> Bool {
        guard used < entered else { return false }
        used += 1
        return true
    }

    /// Forgets what did not come.
    mutating func clear() {
        entered = 0
        used = 0
        reached = (0, 0, 0, 0)
        newNodeCount = 0
    }

    /// The item of an id by the number of those entered before it.
    subscript(_ index: Int) -> Item {
        @inline(__always) get { items[index % ExpectedReads.capacity] }
        @inline(__always) nonmutating set {
            (items + index % ExpectedReads.capacity).initialize(to: newValue)
        }
    }

    // MARK: Who comes to a stage now

    @inline(__always)
    mutating func nextForThing() -> Int? {
        guard reached.thing < min(entered, used + ExpectedReads.leads.thing) else { return nil }
        defer { reached.thing += 1 }
        return reached.thing
    }

    @inline(__always)
    mutating func nextForContent() -> Int? {
        guard reached.content < min(entered, used + ExpectedReads.leads.content) else { return nil }
        defer { reached.content += 1 }
        return reached.content
    }

    @inline(__always)
    mutating func nextForLeaf() -> Int? {
        guard reached.leaf < min(entered, used + ExpectedReads.leads.leaf) else { return nil }
        defer { reached.leaf += 1 }
        return reached.leaf
    }

    @inline(__always)
    mutating func nextForParent() -> Int? {
        guard reached.parent < min(entered, used + ExpectedReads.leads.parent) else { return nil }
        defer { reached.parent += 1 }
        return reached.parent
    }
}
