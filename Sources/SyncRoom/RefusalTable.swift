import SyncBytes
import SyncModel

/// The latest refusals of a room. With them a transaction that is sent again gets its first answer
/// again.
///
/// It is in memory only, and a room can do without it: a refused transaction has changed nothing.
/// If its refusal is forgotten and it comes again, it is tried as a new one. But if its author has
/// committed a later one, it is refused for that reason. The key of a refusal has the hash of its
/// client's id and secret, so that a client with another secret does not find it.
///
/// Invariant: the refusals take ``maximumBytes`` at most; the oldest are evicted.
struct RefusalTable {
    private struct Key: Hashable {
        let author: SecretHash
        let counter: UInt64
    }

    private struct Author {
        var lastCounter: UInt64 = 0
        /// The counters of its refusals, oldest first.
        var counters = Fifo<UInt64>()

        mutating func add(_ counter: UInt64) {
            counters.append(counter)
            lastCounter = max(lastCounter, counter)
        }
    }

    private struct Refusal {
        let rejection: Rejection
        /// The record that its answer waits for.
        let sequence: UInt64
    }

    private var refusals: [Key: Refusal] = [:]
    /// The authors that have refusals here.
    private var authors: [SecretHash: Author] = [:]
    /// Oldest first, from `start` on.
    private var order: [Key] = []
    private var start = 0
    /// Bytes of all refusals, about.
    private(set) var byteCount = 0

    /// Enough for all that a few clients may have unanswered.
    static let maximumBytes = 1 << 20

    /// Bytes of a refusal without its message: its entries in the dictionaries, which may be half
    /// empty, and in the order.
    private static let ownBytes =
        3 * MemoryLayout<Key>.stride + 2 * MemoryLayout<Refusal>.stride
        + 2 * MemoryLayout<(SecretHash, Author)>.stride + 2 * MemoryLayout<UInt64?>.stride + 64

    var count: Int { refusals.count }

    subscript(author: SecretHash, counter: UInt64) -> Rejection? {
        refusals[Key(author: author, counter: counter)]?.rejection
    }

    /// The refusals of an author with counters above `counter`, ascending. Leaves out those whose
    /// answers wait for a record above `sequence`.
    func refusals(
        of author: SecretHash, after counter: UInt64, through sequence: UInt64
    ) -> [(counter: UInt64, rejection: Rejection)] {
        var found: [(counter: UInt64, rejection: Rejection)] = []
        authors[author]?.counters.forEach { other in
            guard other > counter, let refusal = refusals[Key(author: author, counter: other)],
                refusal.sequence <= sequence
            else { return }
            found.append((other, refusal.rejection))
        }
        return found.sorted { $0.counter < $1.counter }
    }

    /// The greatest refused counter of an author; 0 if there is none.
    func lastCounter(of author: SecretHash) -> UInt64 {
        authors[author]?.lastCounter ?? 0
    }

    /// - Parameter sequence: the record that the answer waits for.
    mutating func add(
        _ rejection: Rejection, _ counter: UInt64, of author: SecretHash, at sequence: UInt64 = 0
    ) {
        let key = Key(author: author, counter: counter)
        let refusal = Refusal(rejection: rejection, sequence: sequence)
        if let former = refusals.updateValue(refusal, forKey: key) {
            byteCount -= RefusalTable.byteCount(of: former.rejection)
        } else {
            order.append(key)
            authors[author, default: Author()].add(counter)
        }
        byteCount += RefusalTable.byteCount(of: rejection)
        while byteCount > RefusalTable.maximumBytes, start < order.count { removeOldest() }
    }

    private mutating func removeOldest() {
        let key = order[start]
        if let refusal = refusals.removeValue(forKey: key) {
            byteCount -= RefusalTable.byteCount(of: refusal.rejection)
        }
        // The author's own refusals are in the same order.
        if let index = authors.index(forKey: key.author) {
            _ = authors.values[index].counters.popFirst()
            if authors.values[index].counters.isEmpty { authors.remove(at: index) }
        }
        start += 1
        // No more entries move than were removed.
        if 2 * start > order.count {
            order.removeFirst(start)
            start = 0
        }
    }

    private static func byteCount(of rejection: Rejection) -> Int {
        ownBytes + rejection.message.utf8.count
    }
}
