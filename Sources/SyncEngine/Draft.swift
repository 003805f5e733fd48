import SyncModel
import SyncTree

/// The state of the transaction that is being applied.
struct Draft {
    /// The last revision its author had seen.
    var base: Revision = 0
    /// The revision it will make.
    var revision: Revision = 0
    var author: AuthorID = 0
    var authorSlot: UInt32 = 0
    /// Whether the author has seen everything. Then places need no transforming.
    var isCurrent = true
    /// Whether the base is below the horizon, so that nodes that the author had seen may be
    /// forgotten (B2), or is of another room (B3).
    var isPastHorizon = false
    var traits = TransactionTraits(operationCount: 0)
    /// Things that the transaction deleted, moved or inserted so far, even if the operation was
    /// lost. They are not counted where the base had them (P3). Empty while ``isCurrent``: then the
    /// live state says the same.
    var takenOut = TakenOut()
    /// The item sequences of sections that it deleted, even if the operation was lost. What stood
    /// there at the base is no longer counted (P3).
    var deletedSequences: Set<OrderTree.SequenceID> = []
    /// The nodes of those sections. If the transaction made one of them itself, it is not counted
    /// either, even if it lives on.
    var deletedSections: Set<NodeID> = []
    /// The same, in the order of the operations.
    var deletedSectionList: [NodeID] = []
    var superseded: [Superseded] = []
    /// Whether it has replaced a content.
    var hasReplacedContents = false
    /// ``Engine/retainedBytes`` before the transaction.
    var retainedBytes = 0
    /// The transaction's number in this engine; refused ones count too.
    var number = 0
    /// The index of the operation that is being applied.
    var operation = 0
    /// The work done so far.
    var steps = 0
    /// Steps that were saved by what is cached from earlier transactions.
    private(set) var savedSteps = 0
    /// The steps at which it stops: those that the caller can spend, or those that the limit leaves
    /// after the saved ones, whichever is less.
    var stepEnd = Int.max
    /// See ``SubmitLimits``.
    var transactionSteps = Int.max
    /// Whether items and sections are limited, and the most that there may be after any of its
    /// operations.
    private(set) var hasCounts = false
    private(set) var most = (items: Int.max, sections: Int.max)
    /// Of what there were more.
    var reachedLimit: CountLimit?
    var contentBytes = Engine.maximumContentBytes

    /// Whether the author has seen a birth or a death in `revision` by `author`; 0 is nobody.
    @inline(__always)
    func hasSeen(_ revision: Revision, by author: AuthorID) -> Bool {
        revision <= base || author == self.author
    }

    /// Begins to count the work.
    @inline(__always)
    mutating func beginSteps(atMost stepLimit: Int, _ limits: SubmitLimits) {
        steps = 0
        savedSteps = 0
        transactionSteps = limits.transactionSteps
        stepEnd = min(stepLimit, limits.transactionSteps)
    }

    /// Begins to limit items and sections, if they are limited.
    mutating func beginCounts(
        _ limits: SubmitLimits, items: @autoclosure () -> Int, sections: @autoclosure () -> Int
    ) {
        reachedLimit = nil
        hasCounts = limits.items != .max || limits.sections != .max
        if hasCounts { most = (max(limits.items, items()), max(limits.sections, sections())) }
    }

    /// Counts steps that a cached result saved: they count against the limit.
    mutating func countSaved(steps: Int) {
        savedSteps &+= steps
        stepEnd = min(stepEnd, transactionSteps &- savedSteps)
    }

    /// Forgets what the former transaction took out.
    @inline(never)
    mutating func forgetTakenOut() {
        if !takenOut.isEmpty { takenOut.removeAll() }
        if deletedSequences.isEmpty { return }
        deletedSequences.removeAll()
        deletedSections.removeAll()
        deletedSectionList.removeAll()
    }
}

/// What a transaction has changed, so that it can be rolled back.
///
/// A content that the transaction made and then replaced is freed at once: no revision has it.
struct RollbackLog: ~Copyable {
    enum Entry: BitwiseCopyable {
        case thingMade(ThingID)
        /// A thing's former record. Its content is not restored from here.
        case thing(ThingID, ThingRecord)
        /// The content that a thing had before the transaction, and its last version.
        case content(ThingID, BlobStore.Reference, VersionID)
        case nodeMade(NodeID, in: OrderTree.SequenceID)
        case node(NodeID, NodeRecord)
        case versionMade(VersionID)
        case sequenceMade(OrderTree.SequenceID)
    }

    private(set) var entries = Stack<Entry>()

    @inline(__always)
    mutating func append(_ entry: Entry) { entries.append(entry) }

    var byteCount: Int { entries.byteCount }

    mutating func popLast() -> Entry? { entries.popLast() }

    mutating func clear() {
        entries.removeAll()
    }
}
