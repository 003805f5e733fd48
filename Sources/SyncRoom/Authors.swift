package import SyncEngine
package import SyncModel

/// The authors of a room and the outcomes of their transactions. With it no transaction is applied
/// twice.
///
/// The log determines the commits and the evictions. Refusals are not in the log. They are in
/// memory only (see ``RefusalTable``), and the room can do without them. For each author it keeps
/// the greatest counter and the newest commits, as many as a client may have unanswered: a client
/// resends only transactions that it has no answer to. If the details of an author's commits take
/// too many bytes, the oldest are dropped.
///
/// All evicted authors leave one number: ``evictedThrough``, the greatest last revision of any of
/// them. A commit's revision is above its base. So a transaction with a base at or above that
/// number was not committed if its client is no author: that author would be known. A transaction
/// with a base below it is forgotten if its client says that it may have sent it before.
///
/// Invariants:
/// 1. An author's counters grow from commit to commit.
/// 2. An author has at most ``window`` commits that can be found, and ``maximumDetailBytes`` of
///    details.
/// 3. A counter above ``Record/forgottenThrough`` and up to the last one was committed if it is
///    among the commits. Otherwise it never will be.
/// 4. No revision of an evicted author is above ``evictedThrough``, which only grows.
///
/// Cost: in a window of w commits, finding takes O(log w), and recording amortized O(1). A commit
/// takes 24 bytes, and more if it has details.
package struct Authors {
    package typealias Author = Engine.Author

    /// What is known of a transaction, by its author and counter.
    package enum Finding: Equatable {
        /// It was not committed, and no refusal is remembered. The engine is to decide.
        case unknown
        case committed(Result)
        /// It was not committed and never will be. The rejection is `nil` if it is not remembered;
        /// then a later transaction of the author was committed.
        case refused(Rejection?)
        /// It may have been committed; its outcome is not kept.
        case forgotten
    }

    /// How many commits of an author are kept, and how many transactions a client may have
    /// unanswered at most. What is stored depends on it.
    package static let window = 1024
    /// Bytes of details that are kept for an author's results, without those of the last result.
    /// What is stored depends on it.
    static let maximumDetailBytes = 64 << 10

    /// By the authors' slots.
    private(set) var records: [Record] = []
    /// No evicted author has made a later revision.
    package private(set) var evictedThrough: Revision
    private(set) var refusals = RefusalTable()
    /// The authors of the newest revisions.
    var recent = RecentAuthors()
    /// Bytes of all commits, with those that are forgotten and not removed yet.
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
    ///   - author: its sender, if that is an author.
    ///   - secret: the secret of its sender.
    ///   - sentBefore: the client may have sent transactions up to this counter before it joined.
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
        // The usual case, without a copy of the record.
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

    /// Enters a new author in its slot, which is free.
    mutating func enter(_ record: Record) {
        guard let slot = record.author?.slot else { return }
        while records.count <= slot { records.append(.none) }
        records[Int(slot)] = record
        resultBytes += record.byteCount
    }

    /// Removes an author without a trace.
    mutating func remove(_ author: Author) {
        resultBytes -= records[Int(author.slot)].byteCount
        records[Int(author.slot)] = .none
    }

    /// Removes an author. ``evictedThrough`` covers its revisions.
    mutating func evict(_ author: Author) {
        evictedThrough = max(evictedThrough, self[author].lastRevision)
        remove(author)
    }

    // MARK: Transactions

    mutating func record(_ result: Result, of author: Author) {
        resultBytes += records[Int(author.slot)].add(result)
        recent.note(author.slot, at: result.revision)
    }

    /// Whether an author's last commit was made by this user.
    func isOf(_ user: UserName, _ author: Author) -> Bool {
        records[Int(author.slot)].user == user
    }

    /// Records the user who made an author's last commit.
    mutating func set(user: UserName, of author: Author) {
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

// The record of one author.
extension Authors {
    /// The outcome of a transaction.
    package struct Result: Sendable, Equatable {
        package var counter: UInt64
        /// The revision that a commit made; 0 for a rejection.
        fileprivate(set) var revision: Revision
        /// The whole outcome, if that is more than a commit's revision.
        var details: Details?

        package static func == (left: Result, right: Result) -> Bool {
            left.counter == right.counter && left.revision == right.revision
                && left.outcome == right.outcome
        }
    }

    /// A whole outcome. Few results have one, so it is an object of its own.
    final class Details: Sendable {
        let outcome: Outcome
        /// Bytes that it takes, about; 0 for the shared ``forgottenLosses``, which can't be
        /// shortened.
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

        /// Replaces the details of a commit with losses when they take too many bytes.
        static let forgottenLosses = Details(
            forgottenLosses:
                "it was committed; which of its operations were lost is no longer known")
    }

    struct Record {
        /// `nil` in a slot that is free.
        let author: Author?
        let secret: SecretHash
        /// The user who was signed in at its last commit; empty if nobody was.
        var user: UserName
        var lastCounter: UInt64 = 0
        /// The value of ``forgottenThrough`` while `results` has no more than a window.
        private var removedThrough: UInt64
        /// Commits by ascending counter. Those before the last window count as forgotten.
        private(set) var results: [Result] = []
        /// Bytes of the results' details, and the first index at which a result may have details.
        private(set) var detailBytes = 0
        private(set) var firstDetailed = 0

        init(
            _ author: Author?, secret: SecretHash, user: UserName = .nobody,
            lastCounter: UInt64 = 0,
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

        /// The record in a free slot.
        static let none = Record(nil, secret: .none)

        /// Bytes of its commits and its user's name.
        var byteCount: Int {
            results.capacity * MemoryLayout<Result>.stride + detailBytes + user.text.utf8.count
        }

        var lastRevision: Revision { results.last?.revision ?? 0 }

        /// The index of the first result that is not forgotten.
        var start: Int { max(0, results.count - Authors.window) }

        /// It may have forgotten commits up to this counter.
        var forgottenThrough: UInt64 {
            start > 0 ? results[start - 1].counter : removedThrough
        }

        /// - Returns: the change of its bytes.
        mutating func add(_ result: Result) -> Int {
            precondition(result.counter > lastCounter, "an author's counters grow")
            lastCounter = result.counter
            // The usual case.
            if results.count < min(results.capacity, 2 * Authors.window), result.details == nil {
                results.append(result)
                return 0
            }
            let (details, capacity) = (detailBytes, results.capacity)
            // The rest moves down once in a window, which keeps this O(1) amortized.
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

        /// Drops the details of the oldest commits with losses.
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

        /// The known results above a counter.
        func results(after counter: UInt64) -> ArraySlice<Result> {
            counter == .max ? [] : results[firstIndex(from: counter + 1)...]
        }

        /// The counter of the commit that made a revision; `nil` if it is another author's, or
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

    /// The revision of a commit without details; otherwise `nil`.
    package var plainCommit: Revision? {
        details == nil ? revision : nil
    }

    /// The whole outcome.
    package var outcome: Outcome {
        details?.outcome ?? .committed(Commit(revision: revision))
    }

    /// The revision that a commit made; 0 for a rejection.
    var madeRevision: Revision { revision }

    /// The revision that a commit made, even if its losses are forgotten; `nil` for a rejection.
    var commitRevision: Revision? { revision > 0 ? revision : nil }

    /// Bytes of the details, about.
    var detailBytes: Int { details?.byteCount ?? 0 }

    var rejection: Rejection? {
        if let details, case .rejected(let rejection) = details.outcome { rejection } else { nil }
    }
}
