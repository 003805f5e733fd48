import SyncEngine
package import SyncModel
package import SyncWire

/// A room as a state machine. Its input is what members send. Its output is what members are sent,
/// and records for the log. It reads no clock and never waits.
///
/// A transaction takes these steps:
///
/// 1. ``receive(_:counter:of:from:)`` queues it.
/// 2. ``applyQueued(at:)`` has the engine apply it, before it is on disk. A transaction that was
///    applied before is only answered again (``Authors``).
/// 3. ``takeRecord(wallClockMilliseconds:)`` returns one record of all transactions since the last
///    record.
/// 4. When the log has that record, ``appended(through:)`` releases the answers, and
///    ``compose(with:at:deliver:)`` sends the batches.
///
/// If the log fails, ``suspend()`` refuses all unanswered transactions, and ``resume(_:opening:)``
/// goes on with the state on disk.
///
/// It owns the state (``RoomState``), the members and what each was sent, the draft of the next
/// record, and the answers that wait for the log.
///
/// Invariants:
/// 1. Nothing that leaves the room (answer, batch or snapshot) shows a revision above
///    ``durableRevision``.
/// 2. The answer to a transaction leaves before any batch that contains the transaction.
/// 3. A member's `sent` is at most the durable revision, and only grows.
/// 4. Each received transaction is answered or absorbed, once for each time that it was sent. A
///    member's answers leave in the order of its transactions.
/// 5. A refused transaction leaves nothing in the log. A refusal may depend on everything that was
///    applied before it, so it leaves when that is durable.
/// 6. Queued transactions are applied in the order in which they came, within the turn's budget.
/// 7. The room touches the state only while ``place`` is `here`. While it is `away`, only the
///    worker touches it.
///
/// Cost: a transaction costs its work in the engine and its encoding. A tick costs O(m) for m
/// members, and one batch for each distinct revision that they were sent.
///
/// The host does I/O, reads clocks, and decides when to call what.
package final class Room {
    package let handle: RoomHandle
    @exclusivity(unchecked) package private(set) var policy: RoomPolicy
    package let limits: WireLimits
    /// The limits of this server beyond which the engine refuses a transaction.
    let submitLimits: SubmitLimits
    // Exclusivity checks are off here: they cost time with each transaction, and no two accesses
    // overlap.
    @exclusivity(unchecked) var members = MemberTable()
    /// Where the state is.
    @exclusivity(unchecked) package internal(set) var place = RoomPlace.opening

    /// Which transactions it accepts in this turn.
    @exclusivity(unchecked) package var intake = Intake.all
    /// The server's memory that is charged to the room.
    package let accounts: RoomAccounts

    @exclusivity(unchecked) var queue = RoomQueue()
    @exclusivity(unchecked) var log: RoomLog
    /// Which authors to evict next when there are too many.
    var idleAuthors = IdleAuthors()
    /// Answers that wait for the log, and answers that were released.
    @exclusivity(unchecked) var answers = AnswerQueue()
    /// The work for which a worker needs the state.
    @exclusivity(unchecked) var lending = Lending()
    @exclusivity(unchecked) var composing = Composing()
    let budget: TurnBudget
    @exclusivity(unchecked) var views = RoomViews()
    var drags = DragTable()
    var presence = PresenceTable()
    var listeners = Listeners()
    var nearLimits = NearLimits()

    /// Makes a room without a state. ``open(_:opening:)`` gives it one.
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

    /// Makes a room with the state that was read from disk.
    package convenience init(
        _ state: RoomState, opening: RoomOpening, handle: RoomHandle, policy: RoomPolicy,
        limits: WireLimits = WireLimits(), budget: TurnBudget = TurnBudget(),
        accounts: RoomAccounts? = nil
    ) {
        self.init(
            handle: handle, policy: policy, limits: limits, budget: budget, accounts: accounts)
        open(state, opening: opening)
    }

    /// Changes the room's limits. What is over a lower one stays, and only what comes is refused.
    package func change(to policy: RoomPolicy) {
        self.policy = policy
        accounts.change(to: policy)
        log.reach.limitBytes = policy.maximumHorizonBytes
    }

    /// Begins with the state that was read from disk.
    package func open(_ state: RoomState, opening: RoomOpening) {
        precondition(place.isOpening, "a room is opened once")
        state.begin(opening)
        place = .here(state)
        log.begin(after: state)
    }

    /// Closes the room. Returns its state, so that the caller can free it where that delays nobody.
    package func close() -> RoomState? {
        defer { place = .gone }
        countSizes(isClosed: true)
        return place.state
    }

    /// The state. Only while ``place`` is `here` or `reopening`.
    package var state: RoomState {
        guard let state = place.state else {
            preconditionFailure("the state is used only while it is here")
        }
        return state
    }

    /// The room's id and epochs; the newest epoch may not be durable yet.
    package var identity: RoomIdentity {
        guard let identity = log.identity else {
            preconditionFailure("an open room has an epoch")
        }
        return identity
    }

    /// The last revision, and the last record, that the log has.
    package var durableRevision: Revision { log.durableRevision }
    package var durableSequence: UInt64 { log.durableSequence }

    /// The last record with something that was applied, also if it is not sent to the store yet.
    package var lastSequence: UInt64 { log.lastSequence }

    /// Whether the last turn's budget ended before all members were sent what they lack.
    package var hasMoreToCompose: Bool { composing.hasMore }

    /// Whether members wait for memory in which their batch or snapshot can be made.
    package var waitsForMemory: Bool { composing.waitsForMemory }

    /// When the next view is due for an update; `nil` if none is.
    package var viewsDue: UInt64? { views.due }

    package var memberCount: Int { members.list.count }

    /// Any member; `nil` if there is none.
    package var firstMember: Member? { members.list.first }

    /// Bytes of the room's layouts, and of screens whose views are closed and that are not freed
    /// yet.
    package var layoutByteCount: Int { views.layouts.byteCount + views.discardedBytes }

    package var memberships: [MembershipID] { members.list.map(\.membership) }

    /// When the oldest transaction came that is applied and not durable; `nil` if there is none.
    var pendingSince: UInt64? { log.pendingSince }

    /// Whether the log has no record of it, and none is about to be made.
    package var isUnwritten: Bool {
        state.sequence == 0 && log.draft.count == 0 && queue.transactions.isEmpty
    }

    /// Whether the record that is being made has transactions.
    package var hasDraft: Bool { log.draft.count > 0 }

    /// Bytes of the record that is being made.
    package var draftBytes: Int { log.draft.byteCount }

    /// Whether a transaction is queued, unanswered, or not durable.
    package var hasUnanswered: Bool {
        !queue.transactions.isEmpty || !answers.isEmpty || log.isPending
    }

    /// Passes the released answers to `body`, in order, and removes them. `body` must not call the
    /// room.
    ///
    /// - Parameter limit: how many at most; the others stay.
    package func takeAnswers(atMost limit: Int = .max, _ body: (ArraySlice<RoomAnswer>) -> Void) {
        answers.takeReleased(atMost: limit, body)
    }

    /// Whether there are released answers that were not taken.
    package var hasAnswers: Bool { answers.hasReleased }

    /// Calls `body` with the sender of each absorbed transaction, which gets no answer of its own,
    /// and forgets them. Skips senders that have left.
    package func takeAbsorbed(_ body: (ConnectionID) -> Void) {
        for (id, membership) in answers.takeAbsorbed() where members[id]?.number == membership {
            body(id)
        }
    }
}

// MARK: - The log

extension Room {
    /// Takes the record of all transactions that were applied since the last record.
    ///
    /// - Returns: the record, to be appended; `nil` if nothing was applied.
    package func takeRecord(wallClockMilliseconds: UInt64) -> LogRecord? {
        guard log.draft.count > 0 else { return nil }
        let stepsBefore = state.engine.stepsTaken
        advanceHorizon()
        let steps = state.engine.stepsTaken &- stepsBefore
        budget.spend(WorkCost.engineSteps(steps, among: state.engine.nodeCount))
        state.sequence += 1
        let firstArrival = log.draft.firstArrival
        let record = log.draft.finish(
            sequence: state.sequence, lastRevision: state.engine.revision,
            horizon: state.engine.horizon, wallClockMilliseconds: wallClockMilliseconds)
        log.send(record, firstArrival: firstArrival)
        return record
    }

    /// The log has all records up to this one. So members may see their revisions.
    package func appended(through sequence: UInt64) {
        precondition(place.acceptsTransactions, "a suspended room appends nothing")
        log.appended(through: sequence)
        answers.release(through: sequence)
    }

    /// The log has failed. Drops everything that is not durable, and refuses all unanswered
    /// transactions; their clients send them again. Tasks wait until the room resumes.
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

    /// Goes on with the state that was read from disk.
    ///
    /// All that members were sent was durable. If it still is, the epoch goes on: nobody saw what
    /// the store lost, so each revision of the epoch has one meaning. Otherwise the store has lost
    /// durable records, or now has another room. Then the room begins a new epoch, and all members
    /// have to join again.
    ///
    /// - Returns: the memberships that ended.
    package func resume(_ state: RoomState, opening: RoomOpening) -> [MembershipID] {
        precondition(place.isReopening, "only a suspended room with its state resumes")
        lending.beginAgain()
        let continuesEpoch = continuesEpoch(state)
        if !continuesEpoch {
            state.begin(opening)
        } else if state.loggedIdentity?.epochs.last != identity.epochs.last {
            state.begin(RoomOpening(room: identity.id, epoch: identity.newestEpoch))
        }
        place = .here(state)
        log.begin(after: state)
        composing.beginAgain()
        if continuesEpoch { restartWalk() } else { composing.walk = nil }
        restartViews()
        for member in members.list {
            member.author = state.author(member.client)
            member.counters.begin(
                after: state.authors.lastCounter(of: member.author, member.secret))
        }
        if continuesEpoch { return [] }
        let gone = memberships
        for membership in gone { leave(membership.connection) }
        return gone
    }

    /// Whether a state from disk contains all that members were sent, and belongs to this room and
    /// epoch.
    private func continuesEpoch(_ state: RoomState) -> Bool {
        let revision = state.engine.revision
        guard let logged = state.loggedIdentity else {
            return durableSequence == 0 && revision == 0 && identity.epochs.count == 1
        }
        guard logged.id == identity.id, revision >= durableRevision else { return false }
        if logged.epochs.last == identity.epochs.last { return true }
        // The record that begins the newest epoch did not reach the disk.
        guard let before = identity.epochs.dropLast().last else { return false }
        return revision == durableRevision && logged.epochs.last == before
    }

    /// Answers a transaction `unavailable`. Its member's later ones are refused until it comes
    /// again.
    func refuseForNow(_ counter: UInt64, _ id: ConnectionID) {
        members[id]?.counters.refuse(counter)
        refuse(.unavailable, counter, id)
    }

    /// Releases a refusal at once.
    func refuse(_ rejection: Rejection, _ counter: UInt64, _ id: ConnectionID) {
        counts.count(rejection)
        let result = Authors.Result(counter: counter, .rejected(rejection))
        answers.release(
            RoomAnswer(
                member: id, membership: members[id]?.number ?? 0, sequence: durableSequence,
                revision: durableRevision, result: result))
    }
}
