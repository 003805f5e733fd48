import SyncEngine
import SyncModel

// Who is remembered as an author: from its first commit until it is evicted.
extension Room {
    /// How many authors are evicted for one that comes, at most: with that a room comes down to a
    /// lower limit.
    private static let evictionsAtOnce = 2

    /// As which author a member is known, if it is one.
    @inline(__always)
    func author(of member: Member, in state: RoomState) -> Authors.Author? {
        if let author = member.author, state.authors.has(author) { return author }
        member.author = state.author(member.client)
        return member.author
    }

    func find(
        _ counter: UInt64, base: Revision, of member: Member, in state: RoomState
    ) -> Authors.Finding {
        state.authors.find(
            counter, base: base, of: author(of: member, in: state), member.secret,
            sentBefore: member.counters.sentBefore)
    }

    /// Makes a member an author, for a transaction of which nothing is known to be tried; `nil` if
    /// it can't be one.
    func enter(
        _ member: Member, _ counter: UInt64, in state: RoomState
    ) -> Authors.Author? {
        guard state.engine.canAddAuthor else { return nil }
        // It may have been one before.
        let forgottenThrough =
            state.authors.evictedThrough > 0 ? min(member.counters.sentBefore, counter - 1) : 0
        return state.enter(
            LogEntry.Introduction(
                client: member.client, secret: member.secret, forgottenThrough: forgottenThrough))
    }

    /// Evicts the authors that wrote longest ago, if there are too many. Members are not evicted:
    /// what they have made and not seen yet is to stay their own. Nor is who has something queued,
    /// or has made what is not durable.
    func evictSurplus(in state: RoomState) {
        guard state.engine.authorCount > policy.maximumAuthors else { return }
        members.forgetLeaving(through: queue.transactions.takenCount)
        let stepsBefore = idleAuthors.stepsTaken
        for _ in 0..<Room.evictionsAtOnce
        where state.engine.authorCount > policy.maximumAuthors {
            guard let author = nextIdleAuthor(in: state) else { break }
            state.evict(author)
            log.draft.append(evictionOf: author.slot)
        }
        budget.spend(idleAuthors.stepsTaken - stepsBefore)
    }

    private func nextIdleAuthor(in state: RoomState) -> Authors.Author? {
        let members = members
        return idleAuthors.next(
            in: state.authors, upTo: durableRevision,
            protected: { Set(members.present.compactMap { $0.author?.slot }) },
            isProtected: { author in
                guard let client = state.engine.id(of: author) else { return true }
                return members.isPresent(client)
            })
    }
}

/// Which authors of a room wrote longest ago, to be evicted when there are too many.
///
/// It is in memory only: the log says who was evicted.
///
/// # Performance
/// O(n) for the n authors of the room once in a while, some sixteenth of which are then known to be
/// the ones, and O(1) for each of those.
struct IdleAuthors {
    /// The one that wrote longest ago is the last.
    private var candidates: [(revision: Revision, author: Authors.Author)] = []
    /// How many authors were looked at in all.
    private(set) var stepsTaken = 0

    /// Up to which revision nobody was idle, when it looked last.
    private var emptyThrough: Revision?

    private static let samples = 256

    /// The author that wrote longest ago, of those that nobody protects; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - revision: who wrote after it is not taken.
    ///   - protected: the slots of those that must stay, asked for when it looks at all.
    mutating func next(
        in authors: Authors, upTo revision: Revision, protected: () -> Set<UInt32>,
        isProtected: (Authors.Author) -> Bool
    ) -> Authors.Author? {
        for round in 0..<2 {
            while let candidate = candidates.popLast() {
                stepsTaken += 1
                // Who has written since is not idle, and comes up again.
                if authors.has(candidate.author), !isProtected(candidate.author),
                    authors[candidate.author].lastRevision == candidate.revision
                {
                    return candidate.author
                }
            }
            // Nobody becomes idle before more is durable.
            if round == 1 || revision == emptyThrough { break }
            look(in: authors, upTo: revision, except: protected())
        }
        emptyThrough = revision
        return nil
    }

    private mutating func look(
        in authors: Authors, upTo revision: Revision, except protected: Set<UInt32>
    ) {
        var idle: [(revision: Revision, author: Authors.Author)] = []
        for record in authors.records {
            guard let author = record.author, record.lastRevision <= revision,
                !protected.contains(author.slot)
            else { continue }
            idle.append((record.lastRevision, author))
        }
        stepsTaken += authors.records.count
        guard let oldest = idle.map(\.revision).min() else { return }
        // All below a revision are the idlest ones, whichever revision that is.
        let step = max(1, idle.count / IdleAuthors.samples)
        let samples = stride(from: 0, to: idle.count, by: step).map { idle[$0].revision }.sorted()
        let bound = max(oldest, samples[samples.count / 16])
        candidates = idle.filter { $0.revision <= bound }
        candidates.sort { $0.revision > $1.revision }
    }
}
