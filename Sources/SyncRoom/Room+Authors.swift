import SyncEngine

// Who is remembered as an author: from its first commit until it is evicted.
extension Room {
    /// How many authors are evicted for one that comes, at most: with that a room comes down to a lower limit.
    private static let evictionsAtOnce = 2

    /// As whom the ledger knows a member, if it does. One that has left may have been evicted meanwhile.
    @inline(__always)
    func author(of member: Member) -> Ledger.Author? {
        if let author = member.author, state.ledger.has(author) { return author }
        member.author = state.author(member.client)
        return member.author
    }

    /// Makes a member an author, for a transaction to be tried.
    ///
    /// - Returns: or why it can't be one.
    func enter(_ member: Member, _ counter: UInt64) -> Result<Ledger.Author, Rejection> {
        // Who is in the room is not evicted, so of a member this is known since it joined.
        if member.hasLeft { note(absence(of: member, claimed: 0), in: member) }
        guard counter > member.forgottenThrough else { return .failure(.forgotten) }
        guard state.engine.takesAuthors else {
            return .failure(
                Rejection(
                    code: .limitExceeded, message: "the room has had as many authors as it can have"
                ))
        }
        return .success(
            state.enter(
                member.client, secret: member.secret, forgottenThrough: member.forgottenThrough))
    }

    func absence(of member: Member, claimed: UInt64) -> RoomState.Absence {
        state.absence(of: member.client, secret: member.secret, claimed: claimed)
    }

    /// Notes what is known of a member that is no author.
    func note(_ absence: RoomState.Absence, in member: Member) {
        guard case .forgotten(let counter) = absence else { return }
        member.forgottenThrough = max(member.forgottenThrough, counter)
    }

    /// Evicts the authors that wrote longest ago, if there are too many. Members are not evicted: what they
    /// have made and not seen yet is to stay their own. Nor is who has made what is not durable.
    func evictSurplus() {
        guard state.engine.authorCount > policy.maximumAuthors else { return }
        let stepsBefore = idleAuthors.stepsTaken
        for _ in 0..<Room.evictionsAtOnce
        where state.engine.authorCount > policy.maximumAuthors {
            guard let author = nextIdleAuthor() else { break }
            state.evict(author)
            draft.append(evictionOf: author.slot)
        }
        budget.spend(idleAuthors.stepsTaken - stepsBefore)
    }

    private func nextIdleAuthor() -> Ledger.Author? {
        let (state, members) = (state, members)
        return idleAuthors.next(
            in: state.ledger, upTo: durableRevision,
            protected: { Set(members.list.compactMap { $0.author?.slot }) },
            isProtected: { author in
                guard let client = state.engine.id(of: author) else { return true }
                return members.member(of: client) != nil
            })
    }
}
