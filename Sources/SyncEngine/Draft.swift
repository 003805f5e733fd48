import SyncModel
import SyncTree

/// What a transaction at work knows of itself.
struct Draft {
    /// The last revision its author had seen.
    var base: Revision = 0
    /// The revision it will make.
    var revision: Revision = 0
    var author: AuthorID = 0
    var authorSlot: UInt32 = 0
    /// Whether its author has seen everything: then places need no transforming.
    var isCurrent = true
    /// Whether some of what its author had seen may be forgotten.
    var isPastHorizon = false
    /// Things that it deleted, moved or inserted so far: they are not counted where the base had
    /// them. Not kept while ``isCurrent``, where the live state says the same.
    var takenOut = TakenOut()
    /// Sequences of sections that it deleted, in vain or not: nothing there is counted as the base
    /// had it.
    var cleared: Set<OrderTree.SequenceID> = []
    /// The nodes of those sections: one of its own making is not counted either, if it lives on.
    var deletedSections: Set<NodeID> = []
    /// The same in the order in which they came.
    var deletedSectionList: [NodeID] = []
    var superseded: [Superseded] = []
    /// Whether it has given a content to a thing that had one.
    var hasReplacedContents = false
    /// ``Engine/retainedBytes`` before it.
    var retainedBytes = 0
    /// Counts the transactions of an engine, refused ones too.
    var number = 0
    /// The index of the operation at work.
    var operation = 0
    /// The work done so far.
    var steps = 0
    /// Steps that were saved because an earlier transaction took them.
    private(set) var rememberedSteps = 0
    /// How much work may be done: no more than the caller wants to spend, nor, with what was saved,
    /// than the limit.
    var stepEnd = Int.max
    /// See ``SubmitLimits``.
    var transactionSteps = Int.max
    var contentBytes = Engine.maximumContentBytes

    /// Whether the author knows a birth (or a death) in `revision` by `author`; 0 is nobody.
    @inline(__always)
    func hasSeen(_ revision: Revision, by author: AuthorID) -> Bool {
        revision <= base || author == self.author
    }

    /// Begins to count the work.
    @inline(__always)
    mutating func beginSteps(atMost stepLimit: Int, _ limits: SubmitLimits) {
        steps = 0
        rememberedSteps = 0
        transactionSteps = limits.transactionSteps
        stepEnd = min(stepLimit, limits.transactionSteps)
    }

    /// Counts steps that were saved because an earlier transaction took them.
    mutating func remember(steps: Int) {
        rememberedSteps &+= steps
        stepEnd = min(stepEnd, transactionSteps &- rememberedSteps)
    }

    /// Forgets what the former transaction took out.
    @inline(never)
    mutating func forgetTakenOut() {
        if !takenOut.isEmpty { takenOut.removeAll() }
        if cleared.isEmpty { return }
        cleared.removeAll()
        deletedSections.removeAll()
        deletedSectionList.removeAll()
    }
}

/// What a transaction has changed, to take it back where it is refused.
///
/// A content that the transaction made and replaced again is given back at once: nobody has seen
/// it.
struct RollbackLog: ~Copyable {
    enum Entry: BitwiseCopyable {
        case thingMade(ThingID)
        /// What a thing's record was, but for its content.
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
