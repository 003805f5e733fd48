import SyncEngine
import SyncModel

// A client is an author from its first commit until it is evicted.
extension Room {
    /// How many authors are evicted for each new one, at most. It is more than one, so that a room
    /// gets below its limit after that was lowered.
    private static let evictionsAtOnce = 2

    /// A member's author, if it has one.
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

    /// Makes a member an author before its first transaction is tried; `nil` if the room can't have
    /// more authors.
    func enter(
        _ member: Member, _ counter: UInt64, in state: RoomState
    ) -> Authors.Author? {
        guard state.engine.canAddAuthor else { return nil }
        // It may have been an author before, and evicted.
        let forgottenThrough =
            state.authors.evictedThrough > 0 ? min(member.counters.sentBefore, counter - 1) : 0
        return state.enter(
            LogEntry.Introduction(
                client: member.client, secret: member.secret, forgottenThrough: forgottenThrough))
    }

    /// Evicts the authors that wrote longest ago, if there are too many. It does not evict members:
    /// their next transactions may build on edits of their own that they were not sent yet. Nor
    /// does it evict authors with queued transactions or commits that are not durable.
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
/// A scan of all n authors takes O(n) and finds about a sixteenth of them as candidates. Each
/// candidate then takes O(1).
struct IdleAuthors {
    /// Sorted; the author that wrote longest ago is the last.
    private var candidates: [(revision: Revision, author: Authors.Author)] = []
    /// How many authors were visited in all.
    private(set) var stepsTaken = 0

    /// The last scan found no candidate up to this revision.
    private var emptyThrough: Revision?

    private static let samples = 256

    /// The author that wrote longest ago and is not protected; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - revision: authors that wrote after it are not returned.
    ///   - protected: returns the slots of the authors that must stay. Called before a scan.
    mutating func next(
        in authors: Authors, upTo revision: Revision, protected: () -> Set<UInt32>,
        isProtected: (Authors.Author) -> Bool
    ) -> Authors.Author? {
        for round in 0..<2 {
            while let candidate = candidates.popLast() {
                stepsTaken += 1
                // An author that has written since is not idle. A later scan finds it again.
                if authors.has(candidate.author), !isProtected(candidate.author),
                    authors[candidate.author].lastRevision == candidate.revision
                {
                    return candidate.author
                }
            }
            // Nobody becomes idle before more revisions are durable.
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
        // For any bound, the authors whose last revision is below it are the idlest ones. So a
        // sample suffices to choose it.
        let step = max(1, idle.count / IdleAuthors.samples)
        let samples = stride(from: 0, to: idle.count, by: step).map { idle[$0].revision }.sorted()
        let bound = max(oldest, samples[samples.count / 16])
        candidates = idle.filter { $0.revision <= bound }
        candidates.sort { $0.revision > $1.revision }
    }
}
