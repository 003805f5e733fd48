package import SyncEngine

/// Who has written in a room, and which transactions made what: so that nothing is applied twice.
///
/// The log determines it, so it knows what was committed and nothing of what was refused (see
/// ``RefusalTable``). Of each author it keeps the greatest counter and the newest commits, as many as a
/// client may have unanswered. A client asks again only for what it has no answer to, so those suffice; of
/// a counter at or below ``Record/forgottenThrough`` nobody knows any more whether it was committed. Of an
/// author whose commits have much to say, the oldest say only that they were made.
///
/// Invariants:
/// 1. An author's counters grow from commit to commit.
/// 2. An author has at most ``window`` commits that can be found, and ``maximumDetailBytes`` of details.
/// 3. A counter between ``Record/forgottenThrough`` and the last one that is not among the commits was not
///    committed and never will be.
///
/// Cost: finding and recording are O(log w) and amortized O(1) in a window of w. A commit takes 24
/// bytes; those with more to say than a revision, some more.
package struct Ledger {
    package typealias Author = Engine.Author

    /// What a transaction was answered.
    package struct Result: Sendable {
        package var counter: UInt64
        /// What a commit made; 0 for a rejection.
        fileprivate(set) var revision: Revision
        /// The whole answer, where it is more than a commit's revision.
        var details: Details?
    }

    /// What is rare, out of the way.
    final class Details: Sendable {
        let outcome: Outcome
        /// What it takes, about; 0 of what can't be made shorter.
        let byteCount: Int

        init(_ outcome: Outcome) {
            self.outcome = outcome
            byteCount =
                switch outcome {
                case .committed(let commit): 64 + 16 * commit.superseded.count
                case .rejected(let rejection): 128 + rejection.message.utf8.count
                }
        }

        private init(forgottenLosses message: String) {
            outcome = .rejected(Rejection(code: .forgotten, message: message))
            byteCount = 0
        }

        /// What is left of a commit with losses when there is too much.
        static let forgottenLosses = Details(
            forgottenLosses:
                "it was committed; which of its operations were lost is no longer known")
    }

    struct Record {
        /// `nil` in a slot that is free.
        let author: Author?
        let secret: SecretHash
        var lastCounter: UInt64 = 0
        /// What ``forgottenThrough`` is where nothing is in front of the last window.
        private var removedThrough: UInt64
        /// Commits by ascending counter. Those before the last window's are forgotten.
        private(set) var results: [Result] = []
        /// What the details of the results take, and which result may be the first that has some.
        private(set) var detailBytes = 0
        private(set) var firstDetailed = 0

        init(
            _ author: Author?, secret: SecretHash, lastCounter: UInt64 = 0,
            forgottenThrough: UInt64 = 0, results: [Result] = []
        ) {
            self.author = author
            self.secret = secret
            self.lastCounter = lastCounter
            removedThrough = forgottenThrough
            self.results = results
        }

        /// What stands in a slot that is free.
        static let none = Record(nil, secret: .none)

        /// What its commits take.
        var byteCount: Int {
            results.capacity * MemoryLayout<Result>.stride + detailBytes
        }

        /// The first one that is not forgotten.
        var start: Int { max(0, results.count - Ledger.window) }

        /// Up to this counter it may have commits that are not known any more.
        var forgottenThrough: UInt64 {
            start > 0 ? results[start - 1].counter : removedThrough
        }

        mutating func add(_ result: Result) {
            precondition(result.counter > lastCounter, "an author's counters grow")
            lastCounter = result.counter
            // Moving the rest down only once in a window keeps this O(1).
            if results.count >= 2 * Ledger.window { removeForgotten() }
            results.append(result)
            if let details = result.details {
                detailBytes += details.byteCount
                if detailBytes > Ledger.maximumDetailBytes { shorten() }
            }
        }

        private mutating func removeForgotten() {
            let count = start
            removedThrough = forgottenThrough
            for result in results[..<count] { detailBytes -= result.details?.byteCount ?? 0 }
            results.removeFirst(count)
            firstDetailed = max(0, firstDetailed - count)
        }

        /// Keeps of the oldest commits with losses only that they were made.
        private mutating func shorten() {
            while detailBytes > Ledger.maximumDetailBytes, firstDetailed < results.count - 1 {
                let index = firstDetailed
                firstDetailed += 1
                guard let details = results[index].details, details.byteCount > 0 else { continue }
                detailBytes -= details.byteCount
                results[index].details = .forgottenLosses
            }
        }

        /// Counts what an image has brought.
        mutating func countDetails() {
            detailBytes = results.reduce(0) { $0 + ($1.details?.byteCount ?? 0) }
            firstDetailed = 0
            if detailBytes > Ledger.maximumDetailBytes { shorten() }
        }
    }

    /// What the ledger knows of a counter.
    package enum Finding: Equatable {
        /// It was not used yet.
        case new
        case answered(Outcome)
        /// It was not committed, and its author has committed a later one.
        case passed
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
    /// What is left of those that were evicted.
    private(set) var departed: DepartedAuthors
    /// What commits take, with those that are forgotten and not removed yet.
    private var resultBytes = 0

    init(departed: DepartedAuthors = DepartedAuthors()) {
        self.departed = departed
    }

    /// The memory it takes. O(1).
    var byteCount: Int {
        records.capacity * MemoryLayout<Record>.stride + resultBytes + departed.byteCount
    }

    /// Whether an author was not evicted.
    @inline(__always)
    func has(_ author: Author) -> Bool {
        author.slot < records.count && records[Int(author.slot)].author == author
    }

    /// The author that has a slot now.
    func author(in slot: UInt32) -> Author? {
        slot < records.count ? records[Int(slot)].author : nil
    }

    func secret(of author: Author) -> SecretHash {
        records[Int(author.slot)].secret
    }

    /// The greatest counter of an author; 0 of one who has not written.
    func lastCounter(of author: Author?) -> UInt64 {
        author.map { records[Int($0.slot)].lastCounter } ?? 0
    }

    func forgottenThrough(of author: Author) -> UInt64 {
        records[Int(author.slot)].forgottenThrough
    }

    /// The revision that an author made last.
    func lastRevision(of author: Author) -> Revision {
        records[Int(author.slot)].results.last?.revision ?? 0
    }

    /// Enters an author that is not there, in a slot that is free.
    ///
    /// - Parameter forgottenThrough: up to which counter it may have commits that are not known any more.
    mutating func enter(_ author: Author, secret: SecretHash, forgottenThrough: UInt64 = 0) {
        put(
            Record(
                author, secret: secret, lastCounter: forgottenThrough,
                forgottenThrough: forgottenThrough))
    }

    private mutating func put(_ record: Record) {
        guard let slot = record.author?.slot else { return }
        while records.count <= slot { records.append(.none) }
        records[Int(slot)] = record
    }

    /// Forgets an author.
    mutating func remove(_ author: Author) {
        resultBytes -= records[Int(author.slot)].byteCount
        records[Int(author.slot)] = .none
    }

    /// Forgets an author but for what keeps its transactions from being applied again.
    mutating func evict(_ author: Author, as client: ClientHash) {
        let record = records[Int(author.slot)]
        departed.add(client, secret: record.secret.part, lastCounter: record.lastCounter)
        remove(author)
    }

    /// An evicted author is back, and its record has what was left of it.
    mutating func didReturn(_ client: ClientHash) {
        departed.remove(client)
    }

    package func find(_ counter: UInt64, of author: Author) -> Finding {
        // The usual answer, without a copy of all there is.
        if counter > records[Int(author.slot)].lastCounter { return .new }
        let record = records[Int(author.slot)]
        if counter <= record.forgottenThrough { return .forgotten }
        var low = record.start
        var high = record.results.count
        while low < high {
            let middle = (low + high) / 2
            if record.results[middle].counter < counter { low = middle + 1 } else { high = middle }
        }
        guard low < record.results.count, record.results[low].counter == counter else {
            return .passed
        }
        return .answered(record.results[low].outcome)
    }

    /// Enters a commit.
    mutating func record(_ result: Result, of author: Author) {
        let slot = Int(author.slot)
        resultBytes -= records[slot].byteCount
        records[slot].add(result)
        resultBytes += records[slot].byteCount
    }

    /// Enters an author with all that is known of it, as an image has it.
    mutating func restore(_ record: Record) {
        guard let slot = record.author?.slot else { return }
        put(record)
        records[Int(slot)].countDetails()
        resultBytes += records[Int(slot)].byteCount
    }
}

extension Ledger.Result {
    @inline(__always)
    init(counter: UInt64, _ outcome: Outcome) {
        self.counter = counter
        switch outcome {
        case .committed(let commit):
            revision = commit.revision
            details = commit.superseded.isEmpty ? nil : Ledger.Details(outcome)
        case .rejected:
            revision = 0
            details = Ledger.Details(outcome)
        }
    }

    /// The revision of a commit, where there is no more to say.
    package var plainCommit: Revision? {
        details == nil ? revision : nil
    }

    /// The whole answer.
    package var outcome: Outcome {
        details?.outcome ?? .committed(Commit(revision: revision))
    }

    /// Why it was refused, if it was.
    var rejection: Rejection? {
        if let details, case .rejected(let rejection) = details.outcome { rejection } else { nil }
    }
}
