import SyncBytes
import SyncEngine
import SyncModel
import SyncWire

/// Transactions that a room is to apply next, so that the engine gets some at a time.
///
/// They are copied into one piece of memory that serves tick after tick, and a member is held once
/// for each run of its transactions: there are many, and none takes memory of its own.
///
/// # Performance
/// Everything is O(1) amortized, and O(n) for the n bytes of a transaction that is added.
struct TransactionRuns: ~Copyable {
    /// What is known of an entry when it comes.
    enum Kind: UInt8, BitwiseCopyable {
        /// A transaction whose counter is above all that its member used before.
        case new
        /// One that may have come before.
        case repeated
        /// One whose base is not of this room's history: it is answered as before, or rejected.
        case foreign
        /// What can't be read; in its place there is the rejection.
        case unreadable
    }

    private struct Entry: BitwiseCopyable {
        var counter: UInt64
        var base: Revision
        /// Where its bytes are in the memory.
        var start: Int
        var end: Int
        var operationCount: UInt32
        var kind: Kind
    }

    private struct Run {
        let member: Member
        var start: Int
    }

    /// The engine reads ahead for so many operations. (Of another module's constant, each look is a
    /// call.)
    private let readAheadCount = Engine.readAheadCount
    private var memory = ByteWriter()
    private var entries: [Entry] = []
    private var runs: [Run] = []
    /// Whose the last run is.
    private var latest: ObjectIdentifier?
    /// How many of each were taken; of a run, all.
    private var taken = 0
    private var takenRuns = 0
    /// How many entries the engine was shown, and how many operations of them are not taken.
    private var shown = 0
    private var shownOperations = 0
    /// How many entries were ever added.
    private(set) var appendedCount: UInt64 = 0
    /// How many operations there are in all.
    private(set) var operationCount = 0

    /// What was taken makes room for others after so many, and if it is half of all.
    private static let mostTaken = 1024
    /// No more memory than this is kept for nothing.
    private static let keptBytes = 1 << 16

    var isEmpty: Bool { taken == entries.count }

    /// Whose the next one is; `nil` if there is none.
    var first: Member? { isEmpty ? nil : runs[takenRuns].member }

    var byteCount: Int { memory.count + entries.count * MemoryLayout<Entry>.stride }

    /// How many of the entries that were ever added are taken.
    var takenCount: UInt64 { appendedCount - UInt64(entries.count - taken) }

    /// Whether there are so many that the engine reads ahead while some are applied.
    var isLong: Bool { operationCount >= 2 * readAheadCount }

    mutating func append(
        _ transaction: TransactionView, _ counter: UInt64, of member: Member, as kind: Kind = .new
    ) {
        if latest != ObjectIdentifier(member) {
            latest = ObjectIdentifier(member)
            runs.append(Run(member: member, start: entries.count))
        }
        let start = memory.count
        memory.write(contentsOf: transaction.bytes)
        entries.append(
            Entry(
                counter: counter, base: transaction.base, start: start, end: memory.count,
                operationCount: UInt32(clamping: transaction.operationCount),
                kind: kind))
        appendedCount &+= 1
        member.lastQueued = appendedCount
        operationCount += transaction.operationCount
    }

    /// Adds why a transaction could not be read.
    mutating func append(_ rejection: Rejection, _ counter: UInt64, of member: Member) {
        var writer = ByteWriter(capacity: 64)
        rejection.write(to: &writer)
        let view = TransactionView(base: 0, operationCount: 0, trusted: writer.bytes)
        append(view, counter, of: member, as: .unreadable)
    }

    /// Has an engine read ahead for the next ones that it was not shown yet.
    mutating func show(to engine: Engine) {
        while shown < entries.count, shownOperations < 2 * readAheadCount {
            let entry = entries[shown]
            if entry.kind != .unreadable { engine.expect(transaction(entry)) }
            shownOperations &+= Int(entry.operationCount)
            shown &+= 1
        }
    }

    /// Forgets what an engine was shown, which has forgotten it.
    mutating func showAgain() {
        shown = taken
        shownOperations = 0
    }

    /// Takes the first ones out, until so many operations are left.
    ///
    /// - Parameters:
    ///   - engine: has it read ahead.
    ///   - body: what to do with each; it is lent for so long. If it gives `false`, this one and
    ///     those behind it stay.
    mutating func take(
        keeping kept: Int, showing engine: Engine? = nil,
        _ body: (TransactionView, UInt64, Member, Kind) -> Bool
    ) {
        var goesOn = true
        while goesOn, !isEmpty, kept == 0 || operationCount > kept {
            // Held once for a run: counting references would have each transaction wait for the
            // memory that the one before it has written.
            let member = runs[takenRuns].member
            let isLast = takenRuns == runs.count - 1
            let end = isLast ? entries.count : runs[takenRuns + 1].start
            while taken < end, kept == 0 || operationCount > kept {
                if shownOperations < readAheadCount, let engine { show(to: engine) }
                let entry = entries[taken]
                let transaction = transaction(entry)
                goesOn = body(transaction, entry.counter, member, entry.kind)
                guard goesOn else { break }
                operationCount -= transaction.operationCount
                taken += 1
                if taken <= shown {
                    shownOperations -= transaction.operationCount
                } else {
                    shown = taken
                }
            }
            if taken == end, !isLast { takenRuns += 1 }
        }
        if isEmpty {
            removeAll()
        } else if taken >= Self.mostTaken, 2 * taken >= entries.count {
            // At most one entry moves for each that was taken.
            removeTaken()
        }
    }

    @inline(__always)
    private func transaction(_ entry: Entry) -> TransactionView {
        TransactionView(
            base: entry.base, operationCount: Int(entry.operationCount),
            trusted: UnsafeRawBufferPointer(rebasing: memory.bytes[entry.start..<entry.end]))
    }

    private mutating func removeAll() {
        entries.removeAll(keepingCapacity: entries.count <= 2 * Self.mostTaken)
        runs.removeAll(keepingCapacity: true)
        latest = nil
        if memory.count > Self.keptBytes { memory = ByteWriter() } else { memory.reset() }
        (taken, takenRuns, shown, shownOperations, operationCount) = (0, 0, 0, 0, 0)
    }

    private mutating func removeTaken() {
        let bytes = entries[taken - 1].end
        entries.removeFirst(taken)
        for index in entries.indices {
            entries[index].start -= bytes
            entries[index].end -= bytes
        }
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
