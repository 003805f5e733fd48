package import SyncEngine
package import SyncModel

/// Who has written in a room, and what became of each of their transactions: so that nothing is
/// applied twice.
///
/// The log determines what was committed, and who was evicted. What was refused is in no log: it is
/// in memory only (see ``RefusalTable``), and the room can do without it. Of each author it keeps
/// the greatest counter and the newest commits, as many as a client may have unanswered: a client
/// asks again only for what it has no answer to. Of an author whose commits have much to say, the
/// oldest say only that they were made.
///
/// Of an evicted author nothing is kept but a share in one number: ``evictedThrough``, the greatest
/// last revision of all that were evicted. A commit lies above its base. So of a client that is no
/// author, a transaction with a base at or above that number can't have been committed: its author
/// would be known. One with a base below it is forgotten if its client says that it may have sent
/// it before.
///
/// Invariants:
/// 1. An author's counters grow from commit to commit.
/// 2. An author has at most ``window`` commits that can be found, and ``maximumDetailBytes`` of
///    details.
/// 3. A counter between ``Record/forgottenThrough`` and the last one that is not among the commits
///    was not committed and never will be.
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
        /// It was not committed, nor will it be; why is `nil` if it is not remembered, but a later
        /// one was committed.
        case refused(Rejection?)
        /// It may have been committed; what came of it is not kept.
        case forgotten
    }

    /// How many commits of an author are kept, and how many transactions a client may have
    /// unanswered at most. What is stored depends on it.
    package static let window = 1024
    /// How many bytes are kept of what there is to say about an author's results before the last
    /// one, beyond a revision. What is stored depends on it.
    static let maximumDetailBytes = 64 << 10

    /// By the authors' slots.
    private(set) var records: [Record] = []
    /// No author that was evicted has made a later revision.
    package private(set) var evictedThrough: Revision
    private(set) var refusals = RefusalTable()
    /// Who has made the newest revisions.
    var recent = RecentAuthors()
    /// What commits take, with those that are forgotten and not removed yet.
    private var resultBytes = 0

    init(evictedThrough: Revision = 0) {
        self.evictedThrough = evictedThrough
    }

    /// The memory it takes. O(1).
    var byteCount: Int {
        records.capacity * MemoryLayout<Record>.stride + resultBytes + refusals.byteCount
            + recent.byteCount
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

    mutating func record(_ result: Result, of author: Author) {
        resultBytes += records[Int(author.slot)].add(result)
        recent.note(author.slot, at: result.revision)
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

    /// - Parameter sequence: the record that the answer waits for.
    mutating func refuse(
        _ rejection: Rejection, _ counter: UInt64, of secret: SecretHash, at sequence: UInt64 = 0
    ) {
        refusals.add(rejection, counter, of: secret, at: sequence)
    }
}

// What is kept of one author.
extension Authors {
    /// What a transaction was answered.
    package struct Result: Sendable, Equatable {
        package var counter: UInt64
        /// What a commit made; 0 for a rejection.
        fileprivate(set) var revision: Revision
        /// The whole answer, where it is more than a commit's revision.
        var details: Details?

        package static func == (left: Result, right: Result) -> Bool {
            left.counter == right.counter && left.revision == right.revision
                && left.outcome == right.outcome
        }
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
        /// Who had signed in when it made its last commit; empty if nobody had.
        var user: String
        var lastCounter: UInt64 = 0
        /// What ``forgottenThrough`` is where nothing is in front of the last window.
        private var removedThrough: UInt64
        /// Commits by ascending counter. Those before the last window's are forgotten.
        private(set) var results: [Result] = []
        /// What the details of the results take, and which result may be the first that has some.
        private(set) var detailBytes = 0
        private(set) var firstDetailed = 0

        init(
            _ author: Author?, secret: SecretHash, user: String = "", lastCounter: UInt64 = 0,
            forgottenThrough: UInt64 = 0, results: [Result] = []
        ) {
            self.author = author
            self.secret = secret
            self.user = user
            self.lastCounter = max(lastCounter, forgottenThrough)
            removedThrough = forgottenThrough
            self.results = results
            detailBytes = results.reduce(0) { $0 + ($1.details?.byteCount ?? 0) }
            if detailBytes > Authors.maximumDetailBytes { shorten() }
        }

        /// What stands in a slot that is free.
        static let none = Record(nil, secret: .none)

        /// What its commits take, and its user's name.
        var byteCount: Int {
            results.capacity * MemoryLayout<Result>.stride + detailBytes + user.utf8.count
        }

        var lastRevision: Revision { results.last?.revision ?? 0 }

        /// The first one that is not forgotten.
        var start: Int { max(0, results.count - Authors.window) }

        /// Up to this counter it may have commits that are not known any more.
        var forgottenThrough: UInt64 {
            start > 0 ? results[start - 1].counter : removedThrough
        }

        /// - Returns: by how many bytes it takes more; negative for less.
        mutating func add(_ result: Result) -> Int {
            precondition(result.counter > lastCounter, "an author's counters grow")
            lastCounter = result.counter
            // The usual way.
            if results.count < min(results.capacity, 2 * Authors.window), result.details == nil {
                results.append(result)
                return 0
            }
            let (details, capacity) = (detailBytes, results.capacity)
            // Moving the rest down only once in a window keeps this O(1).
            if results.count >= 2 * Authors.window { removeForgotten() }
            results.append(result)
            if let details = result.details {
                detailBytes += details.byteCount
                if detailBytes > Authors.maximumDetailBytes { shorten() }
            }
            return detailBytes - details
                + (results.capacity - capacity) * MemoryLayout<Result>.stride
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
            while detailBytes > Authors.maximumDetailBytes, firstDetailed < results.count - 1 {
                let index = firstDetailed
                firstDetailed += 1
                guard let details = results[index].details, details.byteCount > 0 else { continue }
                detailBytes -= details.byteCount
                results[index].details = .forgottenLosses
            }
        }

        func result(of counter: UInt64) -> Result? {
            let index = firstIndex(from: counter)
            return index < results.count && results[index].counter == counter
                ? results[index] : nil
        }

        /// Those above a counter, as far as they are known.
        func results(after counter: UInt64) -> ArraySlice<Result> {
            counter == .max ? [] : results[firstIndex(from: counter + 1)...]
        }

        /// The counter of the commit that made a revision; `nil` if it was another's, or is
        /// forgotten.
        func counter(of revision: Revision) -> UInt64? {
            var low = 0
            var high = results.count
            while low < high {
                let middle = (low + high) / 2
                if results[middle].revision < revision { low = middle + 1 } else { high = middle }
            }
            guard low < results.count, results[low].revision == revision else { return nil }
            return results[low].counter
        }

        private func firstIndex(from counter: UInt64) -> Int {
            var low = start
            var high = results.count
            while low < high {
                let middle = (low + high) / 2
                if results[middle].counter < counter { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}

extension Authors.Result {
    @inline(__always)
    init(counter: UInt64, _ outcome: Outcome) {
        self.counter = counter
        switch outcome {
        case .committed(let commit):
            revision = commit.revision
            details = commit.superseded.isEmpty ? nil : Authors.Details(outcome)
        case .rejected:
            revision = 0
            details = Authors.Details(outcome)
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

    /// What a commit made; 0 for a rejection.
    var madeRevision: Revision { revision }

    /// What a commit made, also where it is forgotten what it has lost.
    var commitRevision: Revision? { revision > 0 ? revision : nil }

    /// What there is to say beyond a revision, about.
    var detailBytes: Int { details?.byteCount ?? 0 }

    var rejection: Rejection? {
        if let details, case .rejected(let rejection) = details.outcome { rejection } else { nil }
    }
}
