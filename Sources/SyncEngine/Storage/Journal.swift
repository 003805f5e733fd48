import SyncModel

/// What each revision above the horizon touched, in order: nodes that were born or died, and
/// contents that were replaced.
///
/// # Performance
/// Four bytes an entry and eight a revision. Entries are appended and dropped in O(1) amortized.
struct Journal: ~Copyable {
    /// One change in one 32-bit word: the number of a node or a version, below 2^30, and the kind
    /// of change above it.
    struct Entry: BitwiseCopyable {
        private let word: UInt32

        private static let numberMask: UInt32 = 1 << 30 - 1
        private static let deathMark: UInt32 = 1 << 30
        private static let contentMark: UInt32 = 1 << 31

        /// A node was born.
        static func birth(_ node: NodeID) -> Entry { Entry(word: node) }
        /// A node died.
        static func death(_ node: NodeID) -> Entry { Entry(word: node | deathMark) }
        /// A content was replaced.
        static func content(_ version: VersionID) -> Entry { Entry(word: version | contentMark) }

        /// The node that was born or died.
        @inline(__always)
        var node: NodeID? { word & Entry.contentMark == 0 ? word & Entry.numberMask : nil }
        /// Whether it is a death.
        @inline(__always)
        var isDeath: Bool { word & Entry.deathMark != 0 }
        /// The content that was replaced.
        @inline(__always)
        var version: VersionID? { word & Entry.contentMark != 0 ? word & Entry.numberMask : nil }
    }

    private var entries = Stack<Entry>()
    /// For each revision, where its entries end, counted from the first entry ever. The first
    /// ``droppedRevisions`` of them are at or below the horizon.
    private var ends = Stack<Int>()
    /// The first revision above the horizon: the one of `ends[droppedRevisions]`.
    private var first: Revision
    /// Where the entries of `ends[0]` begin, counted from the first entry ever.
    private var firstStart = 0
    /// How many entries were dropped before `entries[0]`.
    private var dropped = 0
    /// How many of the revisions in ``ends`` are at or below the horizon.
    private var droppedRevisions = 0
    /// How many entries were swept, counted from the first entry ever. Those that are still stored
    /// mean nothing any more.
    private var swept = 0

    /// The most bytes that an entry and a revision take, as stacks grow by doubling.
    static let mostBytesOfEntry = 2 * MemoryLayout<Entry>.stride
    static let mostBytesOfRevision = 2 * MemoryLayout<Int>.stride

    /// Makes a journal for the revisions above `horizon`.
    init(horizon: Revision) {
        first = horizon + 1
    }

    @inline(__always)
    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// How many entries are stored: a mark for ``truncate(to:)``.
    var mark: Int { entries.count }

    mutating func truncate(to mark: Int) { entries.removeLast(entries.count - mark) }

    /// Ends a revision: the entries since the last one belong to it.
    @inline(__always)
    mutating func endRevision() { ends.append(dropped + entries.count) }

    /// The entries of the revisions above `base`, and those of the revision that has not ended yet.
    /// Like all entries that the journal lends, they are valid until its next change.
    func entries(after base: Revision) -> UnsafeBufferPointer<Entry> {
        entries.values(start(of: base + 1)..<entries.count)
    }

    /// Where the entries end, counted from the first entry ever.
    var end: Int { dropped + entries.count }

    /// The entries from a former ``end`` on.
    func entries(from position: Int) -> UnsafeBufferPointer<Entry> {
        entries.values((position - dropped)..<entries.count)
    }

    /// Where the entries after a revision begin, counted from the first entry ever.
    func position(after revision: Revision) -> Int { start(of: revision + 1) + dropped }

    /// The entries of some revisions.
    func entries(_ revisions: ClosedRange<Revision>) -> UnsafeBufferPointer<Entry> {
        entries.values(start(of: revisions.lowerBound)..<start(of: revisions.upperBound + 1))
    }

    /// Where a revision's entries start in `entries`.
    private func start(of revision: Revision) -> Int {
        let index = Int(revision - first) + droppedRevisions
        return (index == 0 ? firstStart : ends[index - 1]) - dropped
    }

    // MARK: Forgetting

    /// Moves the horizon past the oldest revisions. Their entries stay to be swept.
    mutating func dropRevisions(_ count: Int) {
        droppedRevisions += count
        first += Revision(count)
        if droppedRevisions > 1024, droppedRevisions > ends.count / 2 {
            firstStart = ends[droppedRevisions - 1]
            ends.removeFirst(droppedRevisions)
            droppedRevisions = 0
        }
    }

    /// The entries at or below the horizon, oldest first.
    var unswept: UnsafeBufferPointer<Entry> {
        entries.values((swept - dropped)..<start(of: first))
    }

    /// Marks the oldest unswept entries as swept, and drops them from time to time.
    mutating func sweep(_ count: Int) {
        swept += count
        let gone = swept - dropped
        if gone > 1024, gone > entries.count / 2 {
            entries.removeFirst(gone)
            dropped = swept
        }
    }

    /// The memory it takes.
    var byteCount: Int { entries.byteCount + ends.byteCount }
}
