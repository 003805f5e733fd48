import SyncModel

/// What a room refused lately, so that a transaction that is sent again gets its first answer.
///
/// It is in memory only, and a room can do without any of it: what was refused has changed nothing. A
/// refused transaction of which nothing is known here is judged as a new one, or, if its author has
/// committed a later one, refused because of that. It stands under the hash of
/// its client's id and secret: who comes with another secret is somebody else.
///
/// Invariant: the refusals take ``maximumBytes`` at most; the oldest go first.
struct RefusalTable {
    private struct Key: Hashable {
        let author: SecretHash
        let counter: UInt64
    }

    private struct Author {
        var lastCounter: UInt64 = 0
        var count = 0
    }

    private var rejections: [Key: Rejection] = [:]
    /// Who has some here.
    private var authors: [SecretHash: Author] = [:]
    /// Oldest first, from `start` on.
    private var order: [Key] = []
    private var start = 0
    /// What they take, about.
    private(set) var byteCount = 0

    /// Enough for all that a few clients may have unanswered.
    static let maximumBytes = 1 << 20

    /// What a refusal takes beside its sentence: its places in the tables, which are half empty at times,
    /// and in the queue.
    private static let ownBytes =
        3 * MemoryLayout<Key>.stride + 2 * MemoryLayout<Rejection>.stride
        + 2 * MemoryLayout<(SecretHash, Author)>.stride + 32

    var count: Int { rejections.count }

    subscript(author: SecretHash, counter: UInt64) -> Rejection? {
        rejections[Key(author: author, counter: counter)]
    }

    /// The greatest counter of an author that stands here; 0 if there is none.
    func lastCounter(of author: SecretHash) -> UInt64 {
        authors[author]?.lastCounter ?? 0
    }

    mutating func add(_ rejection: Rejection, _ counter: UInt64, of author: SecretHash) {
        let key = Key(author: author, counter: counter)
        if let former = rejections.updateValue(rejection, forKey: key) {
            byteCount -= RefusalTable.byteCount(of: former)
        } else {
            order.append(key)
            var standing = authors[author] ?? Author()
            standing.count += 1
            standing.lastCounter = max(standing.lastCounter, counter)
            authors[author] = standing
        }
        byteCount += RefusalTable.byteCount(of: rejection)
        while byteCount > RefusalTable.maximumBytes, start < order.count { removeOldest() }
    }

    private mutating func removeOldest() {
        let key = order[start]
        if let rejection = rejections.removeValue(forKey: key) {
            byteCount -= RefusalTable.byteCount(of: rejection)
        }
        if var author = authors[key.author] {
            author.count -= 1
            authors[key.author] = author.count > 0 ? author : nil
        }
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
