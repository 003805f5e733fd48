package import SyncEngine

/// Who has written in a room, and what became of each of their transactions: so that nothing is applied twice.
///
/// The log determines what was committed, and who was evicted. What was refused is in no log: it is in memory only
/// (see ``RefusalTable``), and the room can do without it. Of each author it keeps the greatest counter and the newest
/// commits, as many as a client may have unanswered: a client asks again only for what it has no answer to. Of an author
/// whose commits have much to say, the oldest say only that they were made.
///
/// Of an evicted author nothing is kept but a share in one number: ``evictedThrough``, the greatest last revision of all
/// that were evicted. A commit lies above its base. So of a client that is no author, a transaction with a base at or
/// above that number can't have been committed: its author would be known. One with a base below it is forgotten if its
/// client says that it may have sent it before.
///
/// Invariants:
/// 1. An author's counters grow from commit to commit.
/// 2. An author has at most ``window`` commits that can be found, and ``maximumDetailBytes`` of details.
/// 3. A counter between ``Record/forgottenThrough`` and the last one that is not among the commits was not
///    committed and never will be.
/// 4. No revision of an author that was evicted is above ``evictedThrough``, which only grows.
///
/// Cost: finding and recording are O(log w) and amortized O(1) in a window of w. A commit takes 24
/// bytes; those with more to say than a revision, some more.
package struct Authors {
    package typealias Author = Engine.Author

    /// What is known of a transaction by its author and counter.
    package enum Finding: Equatable {
        /// It was not committed, and nobody remembers that it was refused: it is to be judged.
        case unknown
        case committed(Result)
        /// It was not committed, nor will it be; why is `nil` if it is not remembered, but a later one was committed.
        case refused(Rejection?)
        /// It may have been committed; what came of it is not kept.
        case forgotten
    }

    /// How many commits of an author are kept, and how many transactions a client may have unanswered
    /// at most. What is stored depends on it.
    package static let window = 1024
    /// How many bytes are kept of what there is to say about an author's results before the last one,
    /// beyond a revision. What is stored depends on it.
    static let maximumDetailBytes = 64 << 10

    /// By the authors' slots.
    private(set) var records: [Record] = []
    /// No author that was evicted has made a later revision.
    package private(set) var evictedThrough: Revision
    /// What was refused lately.
    private(set) var refusals = RefusalTable()
    /// What commits take, with those that are forgotten and not removed yet.
    private var resultBytes = 0

    init(evictedThrough: Revision = 0) {
        self.evictedThrough = evictedThrough
    }

    /// The memory it takes. O(1).
    var byteCount: Int {
        records.capacity * MemoryLayout<Record>.stride + resultBytes + refusals.byteCount
    }

    /// What is known of a transaction.
    ///
    /// - Parameters:
    ///   - author: who has sent it, if that is an author.
    ///   - secret: the same client's.
    ///   - sentBefore: up to which counter the client may have sent transactions before it came.
    package func find(
        _ counter: UInt64, base: Revision, of author: Author?, _ secret: SecretHash,
        sentBefore: UInt64
    ) -> Finding {
        if counter == 0 { return .forgotten }
        let finding =
            author.map { find(counter, of: $0) }
            ?? (counter <= sentBefore && base < evictedThrough ? .forgotten : .unknown)
        if case .committed = finding { return finding }
        return refusals[secret, counter].map { .refused($0) } ?? finding
    }

    /// What the log says of a counter of an author.
    package func find(_ counter: UInt64, of author: Author) -> Finding {
        // The usual answer, without a copy of all there is.
        if counter > records[Int(author.slot)].lastCounter { return .unknown }
        let record = records[Int(author.slot)]
        if counter <= record.forgottenThrough { return .forgotten }
        return record.result(of: counter).map { .committed($0) } ?? .refused(nil)
    }

    /// The greatest counter that is known of a client; 0 if there is none.
    func lastCounter(of author: Author?, _ secret: SecretHash) -> UInt64 {
        max(author.map { records[Int($0.slot)].lastCounter } ?? 0, refusals.lastCounter(of: secret))
    }

    // MARK: Authors

    /// Whether an author was not evicted.
    @inline(__always)
    func has(_ author: Author) -> Bool {
        guard author.slot < records.count, let known = records[Int(author.slot)].author else {
            return false
        }
        return known == author
    }

    /// The author that has a slot now.
    func author(in slot: UInt32) -> Author? {
        slot < records.count ? records[Int(slot)].author : nil
    }

    /// What is kept of an author.
    subscript(author: Author) -> Record {
        _read { yield records[Int(author.slot)] }
    }

    /// Enters an author that is not there, in a slot that is free.
    mutating func enter(_ record: Record) {
        guard let slot = record.author?.slot else { return }
        while records.count <= slot { records.append(.none) }
        records[Int(slot)] = record
        resultBytes += record.byteCount
    }

    /// Forgets an author, as if it never had been.
    mutating func remove(_ author: Author) {
        resultBytes -= records[Int(author.slot)].byteCount
        records[Int(author.slot)] = .none
    }

    /// Forgets an author, but not how far it has written.
    mutating func evict(_ author: Author) {
        evictedThrough = max(evictedThrough, self[author].lastRevision)
        remove(author)
    }

    // MARK: Transactions

    /// Enters a commit.
    mutating func record(_ result: Result, of author: Author) {
        resultBytes += records[Int(author.slot)].add(result)
    }

    /// Whether a user has signed in to make an author's last commit.
    func isOf(_ user: String, _ author: Author) -> Bool {
        records[Int(author.slot)].user == user
    }

    /// Enters who signed in to make an author's last commit.
    mutating func set(user: String, of author: Author) {
        let slot = Int(author.slot)
        resultBytes -= records[slot].byteCount
        records[slot].user = user
        resultBytes += records[slot].byteCount
    }

    /// Remembers a refusal.
    mutating func refuse(_ rejection: Rejection, _ counter: UInt64, of secret: SecretHash) {
        refusals.add(rejection, counter, of: secret)
    }
}
