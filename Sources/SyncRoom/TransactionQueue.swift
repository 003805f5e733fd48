import SyncBytes
import SyncEngine

/// Transactions that a room is to apply next, so that the engine gets some at a time.
///
/// They are copied into one piece of memory that serves tick after tick, and a member is held once for
/// each run of its transactions: there are many, and none takes memory of its own.
///
/// # Performance
/// Everything is O(1) amortized, and O(n) for the n bytes of a transaction that is added.
struct TransactionQueue: ~Copyable {
    private struct Entry: BitwiseCopyable {
        var counter: UInt64
        var base: Revision
        var operationCount: Int
        /// Where its operations end in the memory; they begin where those before it end.
        var end: Int
    }

    private struct Run {
        let member: Member
        /// Its first entry.
        var start: Int
    }

    private var memory = ByteWriter()
    private var entries: [Entry] = []
    private var runs: [Run] = []
    /// Whose the last run is.
    private var latest: ObjectIdentifier?
    /// How many of each were taken; of a run, all.
    private var taken = 0
    private var takenRuns = 0
    /// How many entries the engine was shown.
    private var shown = 0
    /// How many operations there are in all.
    private(set) var operationCount = 0

    /// What was taken makes room for others after so many.
    private static let mostTaken = 1024
    /// No more memory than this is kept for nothing.
    private static let keptBytes = 1 << 16

    var isEmpty: Bool { taken == entries.count }

    /// Copies a transaction.
    mutating func append(_ transaction: TransactionView, _ counter: UInt64, of member: Member) {
        if latest != ObjectIdentifier(member) {
            latest = ObjectIdentifier(member)
            runs.append(Run(member: member, start: entries.count))
        }
        memory.write(contentsOf: transaction.bytes)
        entries.append(
            Entry(
                counter: counter, base: transaction.base,
                operationCount: transaction.operationCount, end: memory.count))
        operationCount += transaction.operationCount
    }

    /// Has an engine read ahead for those that it was not shown yet.
    mutating func show(to engine: Engine) {
        while shown < entries.count {
            engine.expect(transaction(shown))
            shown += 1
        }
    }

    /// Takes the first ones out, until so many operations are left.
    ///
    /// - Parameter body: what to do with each; it is lent for so long.
    mutating func take(
        keeping kept: Int, _ body: (TransactionView, UInt64, Member) -> Void
    ) {
        while !isEmpty, kept == 0 || operationCount > kept {
            // Held once for a run: counting references would have each transaction wait for the memory
            // that the one before it has written.
            let member = runs[takenRuns].member
            let isLast = takenRuns == runs.count - 1
            let end = isLast ? entries.count : runs[takenRuns + 1].start
            while taken < end, kept == 0 || operationCount > kept {
                let transaction = transaction(taken)
                operationCount -= transaction.operationCount
                body(transaction, entries[taken].counter, member)
                taken += 1
            }
            if taken == end, !isLast { takenRuns += 1 }
        }
        if isEmpty { removeAll() } else if taken >= Self.mostTaken { removeTaken() }
    }

    private func transaction(_ index: Int) -> TransactionView {
        let entry = entries[index]
        let start = index == 0 ? 0 : entries[index - 1].end
        return TransactionView(
            base: entry.base, operationCount: entry.operationCount,
            trusted: UnsafeRawBufferPointer(rebasing: memory.bytes[start..<entry.end]))
    }

    private mutating func removeAll() {
        entries.removeAll(keepingCapacity: entries.count <= 2 * Self.mostTaken)
        runs.removeAll(keepingCapacity: true)
        latest = nil
        if memory.count > Self.keptBytes { memory = ByteWriter() } else { memory.reset() }
        (taken, takenRuns, shown, operationCount) = (0, 0, 0, 0)
    }

    private mutating func removeTaken() {
        let bytes = entries[taken - 1].end
        entries.removeFirst(taken)
        for index in entries.indices { entries[index].end -= bytes }
        runs.removeFirst(takenRuns)
        for index in runs.indices { runs[index].start -= taken }
        // In fresh memory, in case that what was there before was much.
        var rest = ByteWriter(capacity: 1 << 12)
        rest.write(contentsOf: UnsafeRawBufferPointer(rebasing: memory.bytes[bytes...]))
        memory = rest
        shown -= taken
        (taken, takenRuns) = (0, 0)
    }
}
