import SyncEngine

// Who is remembered as an author: from its first commit until it is evicted.
extension Room {
    /// How many authors are evicted for one that comes, at most: with that a room comes down to a lower limit.
    private static let evictionsAtOnce = 2

    /// As which author a member is known, if it is one.
    @inline(__always)
    func author(of member: Member, in state: RoomState) -> Authors.Author? {
        if let author = member.author, state.authors.has(author) { return author }
        member.author = state.author(member.client)
        return member.author
    }

    /// What is known of a member's transaction.
    func find(
        _ counter: UInt64, base: Revision, of member: Member, in state: RoomState
    ) -> Authors.Finding {
        state.authors.find(
            counter, base: base, of: author(of: member, in: state), member.secret,
            sentBefore: member.counters.sentBefore)
    }

    /// Makes a member an author, for a transaction of which nothing is known to be tried; `nil` if it can't be one.
    func enter(
        _ member: Member, _ counter: UInt64, in state: RoomState
    ) -> Authors.Author? {
        guard state.engine.takesAuthors else { return nil }
        // It may have been one before.
        let forgottenThrough =
            state.authors.evictedThrough > 0 ? min(member.counters.sentBefore, counter - 1) : 0
        return state.enter(
            LogEntry.Introduction(
                client: member.client, secret: member.secret, forgottenThrough: forgottenThrough))
    }

    /// Evicts the authors that wrote longest ago, if there are too many. Members are not evicted: what they
    /// have made and not seen yet is to stay their own. Nor is who has something queued, or has made what is not
    /// durable.
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
