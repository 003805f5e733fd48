import SyncEngine
import SyncModel

/// The outcomes of earlier transactions that a client gets with its join, before any content of the
/// room. So it never takes its own edit in a batch for somebody else's.
///
/// Outcomes that do not fit follow when their transactions are sent again.
package struct EarlyAnswers: Sendable, Equatable {
    /// By ascending counter.
    package fileprivate(set) var results: [Authors.Result] = []
    /// Transactions up to this counter without an answer here were not committed. One that is not
    /// durable yet counts among ``pending``.
    package fileprivate(set) var through: UInt64 = 0
    /// How many answers follow as soon as the log has their records.
    package fileprivate(set) var pending = 0

    /// The maximum of ``count``: as many as a client may have unanswered.
    package static let maximumCount = Authors.window
    /// How many bytes of details they have at most.
    package static let maximumBytes = 64 << 10

    /// How many there are, with those that follow.
    package var count: Int { results.count + pending }
}

extension Room {
    /// The known outcomes of a new member's earlier transactions. Those that are applied and not
    /// durable are answered to it when the log has them.
    func earlyAnswers(
        for member: Member, _ admission: Admission, in state: RoomState
    ) -> EarlyAnswers {
        var early = EarlyAnswers()
        guard let answered = admission.answeredThrough, member.counters.foreign != .room else {
            return early
        }
        let commits = state.authors.commits(of: member.author, after: answered)
        var refusals = state.authors.refusals.refusals(
            of: member.secret, after: answered, through: durableSequence)[...]
        budget.spend(WorkCost.answer.steps(commits.count + refusals.count))
        var bytes = 0
        func add(_ result: Authors.Result) -> Bool {
            bytes += result.detailBytes
            guard early.count < EarlyAnswers.maximumCount, bytes <= EarlyAnswers.maximumBytes
            else {
                early.through = result.counter - 1
                return false
            }
            if let revision = result.commitRevision, revision > durableRevision {
                _ = answers.answerAgain(result, for: member, durableSequence: durableSequence)
                early.pending += 1
            } else {
                early.results.append(result)
            }
            return true
        }
        func addRefusals(before counter: UInt64) -> Bool {
            while let next = refusals.first, next.counter < counter {
                refusals.removeFirst()
                let result = Authors.Result(counter: next.counter, .rejected(next.rejection))
                guard add(result) else { return false }
            }
            return true
        }
        for commit in commits {
            guard addRefusals(before: commit.counter), add(commit) else { return early }
        }
        guard addRefusals(before: .max) else { return early }
        if state.authors.knowsAll(of: member.author, after: answered) {
            early.through = max(admission.counter, commits.last?.counter ?? 0)
        }
        return early
    }
}

extension Authors {
    /// The known commits of an author above a counter.
    func commits(of author: Author?, after counter: UInt64) -> ArraySlice<Result> {
        guard let author else { return [] }
        return records[Int(author.slot)].results(after: counter)
    }

    /// Whether all of a client's commits above a counter are known.
    func knowsAll(of author: Author?, after counter: UInt64) -> Bool {
        guard let author else { return evictedThrough == 0 }
        return records[Int(author.slot)].forgottenThrough <= counter
    }
}
