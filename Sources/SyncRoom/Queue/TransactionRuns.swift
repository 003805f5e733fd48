import SyncBytes
import SyncEngine
import SyncModel
import SyncWire

/// The queued transactions of a room. The engine reads ahead for several of them at a time.
///
/// There may be many, so none allocates memory. Their bytes are copied into one buffer, which is
/// used tick after tick. A run of one member's transactions has one reference to the member.
///
/// # Performance
/// Adding a transaction takes O(n) for its n bytes. Everything else takes O(1) amortized.
struct TransactionRuns: ~Copyable {
    /// What is known of a transaction when it is queued.
    enum Kind: UInt8, BitwiseCopyable {
        /// A transaction whose counter is above all counters that its member has used.
        case new
        /// A transaction that may have come before.
        case repeated
        /// A transaction whose base is not of this room's history. It gets its earlier answer, or
        /// is rejected.
        case foreign
        /// A transaction that could not be read. Its bytes are those of the rejection.
        case unreadable
        /// A transaction that is neither applied nor answered, as its member's access was taken
        /// back.
        case dropped
    }

    private struct Entry: BitwiseCopyable {
        var counter: UInt64
        var base: Revision
        /// Where its bytes end in `memory`. They begin where those of the entry before end.
        var end: Int
        var traits: TransactionTraits
        var kind: Kind
    }

    private struct Run {
        let member: Member
        var start: Int
    }

    /// The engine reads ahead for so many operations. (It is copied here, as each access to another
    /// module's constant is a call.)
    private let readAheadCount = Engine.readAheadCount
    private var memory = ByteWriter()
    private var entries: [Entry] = []
    private var runs: [Run] = []
    /// The member of the last run.
    private var latest: ObjectIdentifier?
    /// How many entries were taken, and of how many runs all entries were taken.
    private var taken = 0
    private var takenRuns = 0
    /// For how many entries the engine reads ahead, and how many of their operations are not taken
    /// yet.
    private var announced = 0
    private var announcedOperations = 0
    /// How many entries were ever added.
    private(set) var appendedCount: UInt64 = 0
    /// How many operations there are in all.
    private(set) var operationCount = 0

    /// Taken entries are removed when there are so many, and if they are half of all.
    private static let mostTaken = 1024
    /// An empty queue keeps no more memory than these bytes.
    private static let retainedBytes = 1 << 16

    var isEmpty: Bool { taken == entries.count }

    /// How many entries are not taken yet.
    var count: Int { entries.count - taken }

    /// The member of the next transaction; `nil` if there is none.
    var first: Member? { isEmpty ? nil : runs[takenRuns].member }

    var byteCount: Int { memory.count + entries.count * MemoryLayout<Entry>.stride }

    /// How many entries were ever taken.
    var takenCount: UInt64 { appendedCount - UInt64(entries.count - taken) }

    /// Whether there are so many operations that some can be applied while the engine reads ahead
    /// for others.
    var isLong: Bool { operationCount >= 2 * readAheadCount }

    mutating func append(
        _ transaction: TransactionView, _ counter: UInt64, of member: Member, as kind: Kind = .new
    ) {
        if latest != ObjectIdentifier(member) {
            latest = ObjectIdentifier(member)
            runs.append(Run(member: member, start: entries.count))
        }
        memory.write(contentsOf: transaction.bytes)
        entries.append(
            Entry(
                counter: counter, base: transaction.base, end: memory.count,
                traits: transaction.traits, kind: kind))
        appendedCount &+= 1
        member.lastQueued = appendedCount
        operationCount += transaction.traits.operationCount
    }

    /// Adds the rejection of a transaction that could not be read.
    mutating func append(_ rejection: Rejection, _ counter: UInt64, of member: Member) {
        var writer = ByteWriter(capacity: 64)
        rejection.write(to: &writer)
        let view = TransactionView(
            base: 0, TransactionTraits(operationCount: 0), trusted: writer.bytes)
        append(view, counter, of: member, as: .unreadable)
    }

    /// Drops all transactions of some connections. They stay in the queue until it is their turn.
    ///
    /// - Returns: how many these are.
    mutating func drop(of ids: Set<ConnectionID>) -> Int {
        var count = 0
        for index in runs.indices.dropFirst(takenRuns) where ids.contains(runs[index].member.id) {
            let end = index + 1 < runs.count ? runs[index + 1].start : entries.count
            let range = max(runs[index].start, taken)..<end
            for entry in range { entries[entry].kind = .dropped }
            count += range.count
        }
        return count
    }

    /// Has an engine read ahead for the next transactions.
    mutating func announce(to engine: Engine) {
        while announced < entries.count, announcedOperations < 2 * readAheadCount {
            let entry = entries[announced]
            if entry.kind != .unreadable { engine.expect(transaction(at: announced)) }
            announcedOperations &+= entry.traits.operationCount
            announced &+= 1
        }
    }

    /// Starts the read-ahead over, as the engine has dropped it.
    mutating func announceAgain() {
        announced = taken
        announcedOperations = 0
    }

    /// Takes the first transactions out, until so many operations are left. It is inlined with
    /// `body`: calls for each transaction would take a tenth of the time.
    ///
    /// - Parameters:
    ///   - engine: reads ahead.
    ///   - body: called with each transaction, whose bytes are valid during the call. If it returns
    ///     `false`, this transaction and all later ones stay.
    @inline(__always)
    mutating func take(
        keeping kept: Int, announcingTo engine: Engine? = nil,
        _ body: (TransactionView, UInt64, Member, Kind) -> Bool
    ) {
        var goesOn = true
        while goesOn, !isEmpty, kept == 0 || operationCount > kept {
            // Retained once for a run. Otherwise each transaction would wait for the reference
            // count that the transaction before has just written.
            let member = runs[takenRuns].member
            let isLast = takenRuns == runs.count - 1
            let end = isLast ? entries.count : runs[takenRuns + 1].start
            while taken < end, kept == 0 || operationCount > kept {
                if announcedOperations < readAheadCount, let engine { announce(to: engine) }
                let entry = entries[taken]
                let transaction = transaction(at: taken)
                goesOn = body(transaction, entry.counter, member, entry.kind)
                guard goesOn else { break }
                operationCount -= transaction.traits.operationCount
                taken += 1
                if taken <= announced {
                    announcedOperations -= transaction.traits.operationCount
                } else {
                    announced = taken
                }
            }
            if taken == end, !isLast { takenRuns += 1 }
        }
        if isEmpty {
            removeAll()
        } else if taken >= Self.mostTaken, 2 * taken >= entries.count {
            // No more entries move than were taken.
            removeTaken()
        }
    }

    @inline(__always)
    private func transaction(at index: Int) -> TransactionView {
        let entry = entries[index]
        let start = index == 0 ? 0 : entries[index - 1].end
        return TransactionView(
            base: entry.base, entry.traits,
            trusted: UnsafeRawBufferPointer(rebasing: memory.bytes[start..<entry.end]))
    }

    private mutating func removeAll() {
        entries.removeAll(keepingCapacity: entries.count <= 2 * Self.mostTaken)
        runs.removeAll(keepingCapacity: true)
        latest = nil
        if memory.count > Self.retainedBytes { memory = ByteWriter() } else { memory.reset() }
        (taken, takenRuns, announced, announcedOperations, operationCount) = (0, 0, 0, 0, 0)
    }

    private mutating func removeTaken() {
        let bytes = entries[taken - 1].end
        entries.removeFirst(taken)
        for index in entries.indices { entries[index].end -= bytes }
        runs.removeFirst(takenRuns)
        for index in runs.indices { runs[index].start -= taken }
        // In a new buffer, as the old one may be large.
        var rest = ByteWriter(capacity: 1 << 12)
        rest.write(contentsOf: UnsafeRawBufferPointer(rebasing: memory.bytes[bytes...]))
        memory = rest
        announced -= taken
        (taken, takenRuns) = (0, 0)
    }
}
