import SyncEngine
import SyncModel

/// What a client that joins again is told of its earlier transactions before it sees anything of
/// the room: so it never takes a batch that holds one of its own edits for somebody else's.
///
/// What does not fit is answered when it is sent again, as ``Authors`` know it.
package struct EarlyAnswers: Sendable, Equatable {
    /// By ascending counter.
    package fileprivate(set) var results: [Authors.Result] = []
    /// Nothing is in the room, or in its log, of those up to this counter that have no answer here;
    /// one that is not on disk yet is among those that are coming.
    package fileprivate(set) var through: UInt64 = 0
    /// How many answers come as soon as the log has them.
    package fileprivate(set) var coming = 0

    /// How many answers there are at most: as many as a client may have unanswered.
    package static let maximumCount = Authors.window
    /// How many bytes they have at most, beside those of their numbers.
    package static let maximumBytes = 64 << 10

    /// How many there are, here and to come.
    package var count: Int { results.count + coming }
}

extension Room {
    /// What is known of a new member's earlier transactions. What was applied for it and is not on
    /// disk yet will be answered to it.
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
                early.coming += 1
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
    /// The commits of an author above a counter, as far as they are known.
    func commits(of author: Author?, after counter: UInt64) -> ArraySlice<Result> {
        guard let author else { return [] }
        return records[Int(author.slot)].results(after: counter)
    }

    /// Whether nothing was forgotten of a client's commits above a counter.
    func knowsAll(of author: Author?, after counter: UInt64) -> Bool {
        guard let author else { return evictedThrough == 0 }
        return records[Int(author.slot)].forgottenThrough <= counter
    }
}
