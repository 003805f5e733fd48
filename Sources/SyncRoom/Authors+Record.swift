package import SyncEngine

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

    /// What is kept of one author.
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

        /// The revision that it made last.
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

        /// The commit with a counter, if it is found.
        func result(of counter: UInt64) -> Result? {
            var low = start
            var high = results.count
            while low < high {
                let middle = (low + high) / 2
                if results[middle].counter < counter { low = middle + 1 } else { high = middle }
            }
            return low < results.count && results[low].counter == counter ? results[low] : nil
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

    /// Why it was refused, if it was.
    var rejection: Rejection? {
        if let details, case .rejected(let rejection) = details.outcome { rejection } else { nil }
    }
}
