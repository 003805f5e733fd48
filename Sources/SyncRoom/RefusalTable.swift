import SyncBytes
import SyncModel

/// What a room refused lately, so that a transaction that is sent again gets its first answer.
///
/// It is in memory only, and a room can do without any of it: what was refused has changed nothing.
/// A refused transaction of which nothing is known here is judged as a new one, or, if its author
/// has committed a later one, refused because of that. It stands under the hash of its client's id
/// and secret: who comes with another secret is somebody else.
///
/// Invariant: the refusals take ``maximumBytes`` at most; the oldest go first.
struct RefusalTable {
    private struct Key: Hashable {
        let author: SecretHash
        let counter: UInt64
    }

    private struct Author {
        var lastCounter: UInt64 = 0
        /// Of its refusals, oldest first.
        var counters = Fifo<UInt64>()
    }

    private struct Refusal {
        let rejection: Rejection
        /// The record that its answer waits for.
        let sequence: UInt64
    }

    private var refusals: [Key: Refusal] = [:]
    /// Who has some here.
    private var authors: [SecretHash: Author] = [:]
    /// Oldest first, from `start` on.
    private var order: [Key] = []
    private var start = 0
    /// What they take, about.
    private(set) var byteCount = 0

    /// Enough for all that a few clients may have unanswered.
    static let maximumBytes = 1 << 20

    /// What a refusal takes beside its sentence: its places in the tables, which are half empty at
    /// times, and in the queue.
    private static let ownBytes =
        3 * MemoryLayout<Key>.stride + 2 * MemoryLayout<Refusal>.stride
        + 2 * MemoryLayout<(SecretHash, Author)>.stride + 2 * MemoryLayout<UInt64?>.stride + 64

    var count: Int { refusals.count }

    subscript(author: SecretHash, counter: UInt64) -> Rejection? {
        refusals[Key(author: author, counter: counter)]?.rejection
    }

    /// The refusals of an author above a counter, by ascending counter, whose answers wait for no
    /// record above one.
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

    /// The greatest counter of an author that stands here; 0 if there is none.
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
            var standing = authors[author] ?? Author()
            standing.counters.append(counter)
            standing.lastCounter = max(standing.lastCounter, counter)
            authors[author] = standing
        }
        byteCount += RefusalTable.byteCount(of: rejection)
        while byteCount > RefusalTable.maximumBytes, start < order.count { removeOldest() }
    }

    private mutating func removeOldest() {
        let key = order[start]
        if let refusal = refusals.removeValue(forKey: key) {
            byteCount -= RefusalTable.byteCount(of: refusal.rejection)
        }
        // An author's own are in the same order.
        _ = authors[key.author]?.counters.popFirst()
        if authors[key.author]?.counters.isEmpty == true { authors[key.author] = nil }
        start += 1
        // At most one moves for each that was removed.
        if 2 * start > order.count {
            order.removeFirst(start)
            start = 0
        }
    }

    private static func byteCount(of rejection: Rejection) -> Int {
        ownBytes + rejection.message.utf8.count
    }
}
