import SyncEngine
package import SyncModel
package import SyncWire

/// A room: what its members send it comes in, what they are to be sent and what the log is to keep
/// goes out. It reads no clock, and waits for nothing.
///
/// A transaction's way: ``receive(_:counter:from:)`` queues it; ``applyQueued(at:)`` has the engine
/// apply what is queued, ahead of the disk, unless it is known already (``Authors``).
/// ``endTick(wallClockMilliseconds:)`` gives the record of all that came since the last one. When
/// the log has it, ``appended(through:)`` lets its answers out, and ``compose(with:at:deliver:)``
/// the batches. If the log can't take it, ``suspend()`` refuses all that is unanswered, and
/// ``resume(_:)`` goes on with what is on disk.
///
/// It owns the state (``RoomState``), the members with what each was sent, the record being made,
/// and the answers that wait for the log.
///
/// Invariants:
/// 1. Nothing that leaves the room, be it an answer, a batch or a snapshot, shows anything above
///    ``durableRevision``.
/// 2. An answer leaves before a batch that contains what it answers.
/// 3. A member's `sent` is at most the durable revision, and only grows.
/// 4. Each transaction that is received is answered once for each time it was asked for, or
///    absorbed; a member's answers come in the order of its questions.
/// 5. What is refused leaves nothing in the log. The answer waits until all is durable that was
///    applied before, as it may depend on that.
/// 6. What is queued is applied in the order in which it came, as far as the turn's budget goes.
/// 7. The state is touched only where ``place`` says that it is here, and by the worker that it is
///    with.
///
/// Cost: a transaction costs what the engine takes for it, and its encoding; a tick O(m) for m
/// members, and a batch for each distinct revision among them.
///
/// Sockets, times, and when to do what are for the host.
package final class Room {
    package let handle: RoomHandle
    package let policy: RoomPolicy
    package let limits: WireLimits
    /// What the engine refuses by this server's policy.
    let submitLimits: SubmitLimits
    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each transaction.
    @exclusivity(unchecked) var members = MemberTable()
    /// Where the state is.
    @exclusivity(unchecked) package internal(set) var place = RoomPlace.opening

    /// What it takes in this turn.
    @exclusivity(unchecked) package var intake = Intake.all
    /// What it holds of the server's memory.
    package let accounts: RoomAccounts

    @exclusivity(unchecked) var queue = RoomQueue()
    @exclusivity(unchecked) var log: RoomLog
    /// Who is to be evicted next, if there are too many authors.
    var idleAuthors = IdleAuthors()
    /// Answers that wait for the log, and those that may leave.
    @exclusivity(unchecked) var answers = AnswerQueue()
    /// What its state is given to a worker for.
    @exclusivity(unchecked) var lending = Lending()
    @exclusivity(unchecked) var composing = Composing()
    let budget: TurnBudget
    @exclusivity(unchecked) var views = RoomViews()
    var drags = DragTable()
    var presence = PresenceTable()
    var listeners = Listeners()

    /// Makes a room whose state is still to come, see ``open(_:opening:)``.
    package init(
        handle: RoomHandle, policy: RoomPolicy, limits: WireLimits = WireLimits(),
        budget: TurnBudget = TurnBudget(), accounts: RoomAccounts? = nil
    ) {
        self.handle = handle
        self.policy = policy
        self.limits = limits
        self.accounts = accounts ?? RoomAccounts(policy)
        var submitLimits = SubmitLimits()
        submitLimits.transactionSteps = limits.transactionSteps
        submitLimits.contentBytes = limits.contentBytes
        self.submitLimits = submitLimits
        self.budget = budget
        log = RoomLog(limitBytes: policy.maximumHorizonBytes)
    }

    /// Makes a room that begins with what is on disk.
    package convenience init(
        _ state: RoomState, opening: RoomOpening, handle: RoomHandle, policy: RoomPolicy,
        limits: WireLimits = WireLimits(), budget: TurnBudget = TurnBudget(),
        accounts: RoomAccounts? = nil
    ) {
        self.init(
            handle: handle, policy: policy, limits: limits, budget: budget, accounts: accounts)
        open(state, opening: opening)
    }

    /// Begins with what is on disk.
    package func open(_ state: RoomState, opening: RoomOpening) {
        precondition(place.isOpening, "a room is opened once")
        state.begin(opening)
        place = .here(state)
        log.begin(after: state)
    }

    /// Lets the room go. Returns its state, to be freed where that delays nobody.
    package func close() -> RoomState? {
        defer { place = .gone }
        return place.state
    }

    /// The state, which is here.
    package var state: RoomState {
        guard let state = place.state else {
            preconditionFailure("who has something done with a state waits until it is here")
        }
        return state
    }

    /// The room's id and epochs; the newest epoch may not be durable yet.
    package var identity: RoomIdentity {
        guard let identity = log.identity else {
            preconditionFailure("a room has begun an epoch")
        }
        return identity
    }

    /// What the log has.
    package var durableRevision: Revision { log.durableRevision }
    package var durableSequence: UInt64 { log.durableSequence }

    /// Whether members lack something that the last turn did not suffice for.
    package var hasMoreToCompose: Bool { composing.hasMore }

    /// Whether members wait until there is memory for what they lack.
    package var waitsForMemory: Bool { composing.waitsForMemory }

    /// When a view lacks something that it is then to be told; `nil` while none does.
    package var viewsDue: UInt64? { views.due }

    package var memberCount: Int { members.list.count }

    /// One of those who are in it; `nil` if nobody is.
    package var firstMember: Member? { members.list.first }

    /// How many bytes the room's layouts take, and screens that are gone and not freed yet.
    package var layoutByteCount: Int { views.layouts.byteCount + views.goneBytes }

    package var memberships: [MembershipID] { members.list.map(\.membership) }

    /// When the first transaction came that is applied and not durable; `nil` if there is none.
    var unseenSince: UInt64? { log.unseenSince }

    /// Whether nothing of it was ever given to the log, nor is about to be.
    package var isUnwritten: Bool {
        state.sequence == 0 && log.draft.count == 0 && queue.transactions.isEmpty
    }

    /// How large the record being made is.
    package var draftBytes: Int { log.draft.byteCount }

    /// Whether there is anything that is not durable and answered.
    package var hasUnanswered: Bool {
        !queue.transactions.isEmpty || !answers.isEmpty || log.isPending
    }

    /// Lends the answers that may leave, in order, and forgets them. Meanwhile nothing is asked of
    /// the room.
    ///
    /// - Parameter limit: how many at most; the others stay.
    package func takeAnswers(atMost limit: Int = .max, _ body: (ArraySlice<RoomAnswer>) -> Void) {
        answers.takeReleased(atMost: limit, body)
    }

    /// Whether answers may leave that were not taken.
    package var hasAnswers: Bool { answers.hasReleased }

    /// Tells for each transaction that gets no answer of its own who sent it, if that is still a
    /// member, and forgets that.
    package func takeAbsorbed(_ body: (ConnectionID) -> Void) {
        for (id, membership) in answers.takeAbsorbed() where members[id]?.number == membership {
            body(id)
        }
    }
}

// MARK: - The log

extension Room {
    /// Ends a tick.
    ///
    /// - Returns: the record of what was applied, to be appended; `nil` if there is nothing to
    ///   keep.
    package func endTick(wallClockMilliseconds: UInt64) -> LogRecord? {
        guard log.draft.count > 0 else { return nil }
        let stepsBefore = state.engine.stepsTaken
        advanceHorizon()
        let steps = state.engine.stepsTaken &- stepsBefore
        budget.spend(WorkCost.engineSteps(steps, among: state.engine.nodeCount))
        state.sequence += 1
        let began = log.draft.began
        let record = log.draft.finish(
            sequence: state.sequence, lastRevision: state.engine.revision,
            horizon: state.engine.horizon, wallClockMilliseconds: wallClockMilliseconds)
        log.send(record, began: began)
        return record
    }

    /// The log has all records up to one: what they hold may be seen.
    package func appended(through sequence: UInt64) {
        precondition(place.goesOn, "what is suspended appends nothing")
        log.appended(through: sequence)
        answers.release(through: sequence)
    }

    /// The log has failed: nothing that is not durable stands, and everything unanswered is
    /// refused, to be sent again. Tasks wait for the room to go on.
    package func suspend() {
        switch place {
        case .here(let state): place = .reopening(state)
        case .away(let loan, _): place = .away(loan, then: .reopen)
        case .opening, .reopening, .deleting, .gone: return
        }
        views.due = nil
        endDrags()
        for entry in answers.removeFirst(atMost: .max) {
            if let member = entry.member { refuseForNow(entry.counter, member) }
        }
        queue.transactions.take(keeping: 0) { _, counter, member, _ in
            if !member.hasLeft { refuseForNow(counter, member.id) }
            return true
        }
        members.forgetLeaving(through: queue.transactions.takenCount)
        log.forgetPending()
    }

    /// Goes on with what is on disk.
    ///
    /// All that members were sent was durable. If it still is, the epoch goes on: nobody saw what
    /// the store lost, so no revision of the epoch means two things. Otherwise the store lost its
    /// tail, or holds another room now: the room begins a new epoch, and all members have to join
    /// again.
    ///
    /// - Returns: those who are not members any more.
    package func resume(_ state: RoomState, opening: RoomOpening) -> [MembershipID] {
        precondition(place.isReopening, "only what is suspended, and not away, resumes")
        lending.beginAgain()
        let goesOn = goesOn(state)
        if !goesOn {
            state.begin(opening)
        } else if state.loggedIdentity?.epochs.last != identity.epochs.last {
            state.begin(RoomOpening(room: identity.id, epoch: identity.newestEpoch))
        }
        place = .here(state)
        log.begin(after: state)
        composing.beginAgain()
        if goesOn { walkAgain() } else { composing.walk = nil }
        restartViews()
        for member in members.list {
            member.author = state.author(member.client)
            member.counters.begin(
                after: state.authors.lastCounter(of: member.author, member.secret))
        }
        if goesOn { return [] }
        let gone = memberships
        for membership in gone { leave(membership.connection) }
        return gone
    }

    /// Whether a state from disk contains all that members were sent, and nothing of somebody else.
    private func goesOn(_ state: RoomState) -> Bool {
        let revision = state.engine.revision
        guard let logged = state.loggedIdentity else {
            return durableSequence == 0 && revision == 0 && identity.epochs.count == 1
        }
        guard logged.id == identity.id, revision >= durableRevision else { return false }
        if logged.epochs.last == identity.epochs.last { return true }
        // The record with this epoch did not come to disk.
        guard let before = identity.epochs.dropLast().last else { return false }
        return revision == durableRevision && logged.epochs.last == before
    }

    /// Answers a transaction that can't be taken now, and has what follows wait for it.
    func refuseForNow(_ counter: UInt64, _ id: ConnectionID) {
        members[id]?.counters.refuse(counter)
        refuse(.unavailable, counter, id)
    }

    /// Answers a transaction that is not to be taken.
    func refuse(_ rejection: Rejection, _ counter: UInt64, _ id: ConnectionID) {
        let result = Authors.Result(counter: counter, .rejected(rejection))
        answers.release(
            RoomAnswer(
                member: id, membership: members[id]?.number ?? 0, sequence: durableSequence,
                revision: durableRevision, result: result))
    }
}
