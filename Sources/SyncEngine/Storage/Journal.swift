import SyncModel

/// What each revision above the horizon touched, in order: nodes that were born or died, and
/// contents that were replaced.
///
/// # Performance
/// Four bytes an entry and eight a revision. Entries are appended and dropped in O(1) amortized.
struct Journal: ~Copyable {
    /// What was done to what, in one word: a number below 2^30 and the kind above it.
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
    /// For each revision from ``first`` on, where its entries end, counted from the first entry
    /// ever.
    private var ends = Stack<Int>()
    /// The revision of `ends[0]`.
    private var first: Revision
    /// Where the entries of `ends[0]` begin, counted from the first entry ever.
    private var firstStart = 0
    /// How many entries were dropped before `entries[0]`.
    private var dropped = 0
    private var droppedRevisions = 0
    /// How many entries were dropped or will be: those before it mean nothing any more.
    private var swept = 0

    /// Makes a journal for the revisions above `horizon`.
    init(horizon: Revision) {
        first = horizon + 1
    }

    @inline(__always)
    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// How many entries there are; a mark to go back to.
    var mark: Int { entries.count }

    mutating func truncate(to mark: Int) { entries.removeLast(entries.count - mark) }

    /// Ends a revision: the entries since the last one are its.
    @inline(__always)
    mutating func endRevision() { ends.append(dropped + entries.count) }

    /// What the revisions above `base` touched, and what was entered since the last of them. Valid
    /// until the next change, as all that the journal lends.
    func entries(after base: Revision) -> UnsafeBufferPointer<Entry> {
        entries.values(start(of: base + 1)..<entries.count)
    }

    /// Where the entries end, counted from the first entry ever.
    var end: Int { dropped + entries.count }

    /// What was entered from such an end on.
    func entries(from position: Int) -> UnsafeBufferPointer<Entry> {
        entries.values((position - dropped)..<entries.count)
    }

    /// Where the entries after a revision begin, counted from the first entry ever.
    func position(after revision: Revision) -> Int { start(of: revision + 1) + dropped }

    /// What some revisions touched.
    func entries(_ revisions: ClosedRange<Revision>) -> UnsafeBufferPointer<Entry> {
        entries.values(start(of: revisions.lowerBound)..<start(of: revisions.upperBound + 1))
    }

    /// Where a revision's entries start in `entries`.
    private func start(of revision: Revision) -> Int {
        let index = Int(revision - first) + droppedRevisions
        return (index == 0 ? firstStart : ends[index - 1]) - dropped
    }

    // MARK: Forgetting

    /// Puts the oldest revisions at or below the horizon. Their entries stay to be swept.
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

    /// Drops the oldest entries at or below the horizon.
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
