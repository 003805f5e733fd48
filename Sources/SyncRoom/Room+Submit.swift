import SyncEngine
package import SyncModel
import SyncWire

/// Whether a transaction that was received will be answered.
package enum Receipt: Equatable {
    /// By a ``RoomAnswer``: at once, or when the log has it. If it was sent again while its answer
    /// waits for the log, it gets no second answer, see ``Room/takeAbsorbed(_:)``.
    case willBeAnswered
    /// It gets no answer: its sender is no member, or the room is being deleted.
    case absorbed
}

extension Room {
    /// Queues a member's transaction. It is applied by the next ``applyQueued(at:)``, or earlier.
    ///
    /// - Parameter origin: the room and epoch of the base, unless the base is what the member was
    ///   sent.
    package func receive(
        _ transaction: TransactionView, counter: UInt64, of origin: Origin? = nil,
        from id: ConnectionID
    ) -> Receipt {
        guard let member = members[id] else { return .absorbed }
        member.noteShare()
        defer { noteGrowth(by: member) }
        return receive(transaction, counter: counter, of: origin, from: member)
    }

    /// Queues a transaction of a known member. The caller calls ``Member/noteShare()`` before a run
    /// of them, and ``noteGrowth(by:)`` after it.
    package func receive(
        _ transaction: TransactionView, counter: UInt64, of origin: Origin? = nil,
        from member: Member
    ) -> Receipt {
        guard place.acceptsTransactions else { return receiveInVain(counter, from: member) }
        if member.counters.isWaitingForEarlier(counter) {
            return refuseForNow(.unavailable, counter, behindThoseOf: member)
        }
        if let refusal = intakeRefusal(of: transaction, from: member),
            mayBeNew(counter, base: transaction.base, of: member)
        {
            return refuseForNow(refusal, counter, behindThoseOf: member)
        }
        var transaction = transaction
        if let origin, !includes(transaction.base, of: origin) {
            guard transaction.base == 0, !member.counters.isChanged else {
                // It may have been answered before the store lost that base, or when its author had
                // seen nothing.
                queue.transactions.append(transaction, counter, of: member, as: .foreign)
                return .willBeAnswered
            }
            transaction = transaction.asSeenNothing
        } else if transaction.base == 0, origin == nil, member.counters.hasSeenNothing {
            transaction = transaction.asSeenNothing
        }
        member.subscription.acknowledge(transaction.base)
        if let rates = intake.rates, mayBeNew(counter, base: transaction.base, of: member) {
            member.note(transaction, for: rates)
        }
        let isNew = member.counters.take(counter)
        queue.transactions.append(transaction, counter, of: member, as: isNew ? .new : .repeated)
        if queue.transactions.isLong { applyQueued(keeping: Engine.readAheadCount) }
        return .willBeAnswered
    }

    /// Why a new transaction is not taken now, whatever is in it; `nil` if it is.
    @inline(__always)
    private func intakeRefusal(of transaction: TransactionView, from member: Member) -> Rejection? {
        if intake.refusesSome, let refusal = intake.refusal(of: transaction) { return refusal }
        if let rates = intake.rates,
            let refusal = member.refusal(rates, isAlone: accounts.holderCount == 1)
        {
            return refusal
        }
        let share = member.share.intake
        return share == .all || share.takes(transaction) ? nil : .overShare(share)
    }

    /// Whether a transaction may be applied, for all that is known: it counts for the limits, even
    /// if the client claims to have sent it before.
    private func mayBeNew(_ counter: UInt64, base: Revision, of member: Member) -> Bool {
        if counter > member.counters.last { return true }
        guard case .here(let state) = place else { return true }
        if case .unknown = find(counter, base: base, of: member, in: state) { return true }
        return false
    }

    /// Refuses a transaction, as the room has no state. In a room that is being deleted it is
    /// absorbed: its members get answers to earlier transactions only, and then learn of the
    /// deletion.
    private func receiveInVain(_ counter: UInt64, from member: Member) -> Receipt {
        if place.isDeleting {
            answers.absorb(member)
            return .absorbed
        }
        refuseForNow(counter, member.id)
        return .willBeAnswered
    }

    /// Has the engine apply what is queued, ahead of the log, within the turn's budget.
    ///
    /// - Parameter now: when it came, in milliseconds on the clock of
    ///   ``compose(with:at:deliver:)``; `nil` if that is not known.
    package func applyQueued(at now: UInt64? = nil) {
        if !queue.transactions.isEmpty, case .here(let state) = place {
            applyQueued(keeping: 0)
            state.engine.expectNothing()
            queue.transactions.announceAgain()
            members.forgetLeaving(through: queue.transactions.takenCount)
        }
        if let now { log.draft.note(time: now) }
    }

    /// Whether transactions are queued.
    package var hasQueued: Bool { !queue.transactions.isEmpty }

    /// Applies queued transactions until about so many operations are left, for which the engine
    /// goes on reading ahead.
    private func applyQueued(keeping kept: Int) {
        // The next one waits for a worker.
        guard !isNextLarge, case .here(let state) = place else { return }
        let mayFill = mayFill(state.engine)
        let limits = mayFill ? countedLimits : submitLimits
        let budget = budget
        let nodes = state.engine.nodeCount
        queue.transactions.take(keeping: kept, announcingTo: state.engine) {
            transaction, counter, member, kind in
            let allowance = budget.allowance
            guard allowance > 0 else { return false }
            if kind != .new, settle(transaction, counter, member, kind, in: state) {
                budget.spend(WorkCost.transaction.steps())
                return true
            }
            let rejection = mayFill ? overQuota(transaction) : nil
            let hasAll = budget.isShareFull
            let stepLimit =
                hasAll && !lends ? Int.max : WorkCost.engineUnits(for: allowance, among: nodes)
            let before = state.engine.stepsTaken
            let isApplied = applyOrRefuse(
                transaction, counter, member, rejection, stepLimit: stepLimit, within: limits,
                in: state)
            budget.spend(
                WorkCost.transaction.steps()
                    &+ WorkCost.engineSteps(state.engine.stepsTaken &- before, among: nodes))
            // It needs more than a whole share, so a worker applies it.
            if isApplied {
                lending.isNextLarge = false
            } else if hasAll, allowance >= budget.stepsPerShare {
                lending.isNextLarge = true
            }
            return isApplied
        }
    }

    /// Drops what connections have sent that is not applied. What a worker is applying stays.
    ///
    /// - Returns: how many transactions it dropped. The cost is O(of these + runs in the queue).
    package func dropTransactions(of ids: Set<ConnectionID>) -> Int {
        if place.isHere, let first = queue.transactions.first, ids.contains(first.id) {
            lending.isNextLarge = false
        }
        return queue.transactions.drop(of: ids)
    }

    /// Answers a transaction that was sent before, is foreign, or could not be read. Returns
    /// `false` if it is to be applied.
    private func settle(
        _ transaction: TransactionView, _ counter: UInt64, _ member: Member,
        _ kind: TransactionRuns.Kind, in state: RoomState
    ) -> Bool {
        if kind == .dropped { return true }
        if kind == .unreadable {
            let rejection = try? Rejection(parsing: transaction.bytes)
            reject(member, counter, rejection ?? .forgotten)
            return true
        }
        let finding = find(counter, base: transaction.base, of: member, in: state)
        // A foreign transaction is never applied: it gets its earlier answer, or a refusal.
        let isForeign =
            kind == .foreign
            || !transaction.traits.hasSeenNothing && member.counters.isForeign(counter)
        switch finding {
        case .committed(let result): repeatAnswer(result, member)
        case .refused(let rejection?): answerBehindAll(member, counter, rejection, in: state)
        case _ where isForeign: reject(member, counter, .roomChanged)
        case .refused(nil): answerBehindAll(member, counter, .refused, in: state)
        case .forgotten: answerBehindAll(member, counter, .forgotten, in: state)
        case .unknown: return false
        }
        return true
    }

    /// Refuses a transaction that could not be read, after those that its member sent before.
    package func receive(
        _ rejection: Rejection, counter: UInt64, from id: ConnectionID
    ) -> Receipt {
        guard let member = members[id] else { return .absorbed }
        if place.isDeleting { return receiveInVain(counter, from: member) }
        if queue.transactions.isEmpty || !place.acceptsTransactions {
            reject(member, counter, rejection)
        } else {
            queue.transactions.append(rejection, counter, of: member)
        }
        return .willBeAnswered
    }

    /// Refuses a transaction for now, after those that its member sent before. The member's later
    /// ones are refused until it comes again.
    private func refuseForNow(
        _ rejection: Rejection, _ counter: UInt64, behindThoseOf member: Member
    ) -> Receipt {
        member.counters.refuse(counter)
        return receive(rejection, counter: counter, from: member.id)
    }

    private func repeatAnswer(_ result: Authors.Result, _ member: Member) {
        if member.hasLeft { return }
        let isAnswered = answers.answerAgain(
            result, for: member, durableSequence: durableSequence)
        if !isAnswered { answers.absorb(member) }
    }

    /// Applies or refuses a transaction, ahead of the log. It is inlined into the loop over a
    /// tick's transactions, as ``TransactionRuns/take(keeping:announcingTo:_:)`` is.
    ///
    /// - Parameter rejection: refuses it without the engine.
    /// - Returns: `false` if it takes more than `stepLimit` steps; then nothing has changed.
    @inline(__always)
    private func applyOrRefuse(
        _ transaction: TransactionView, _ counter: UInt64, _ member: Member,
        _ rejection: Rejection?, stepLimit: Int, within limits: SubmitLimits, in state: RoomState
    ) -> Bool {
        if let rejection {
            refuse(rejection, counter, member, in: state)
            return true
        }
        if !log.draft.isBegun { beginDraft(in: state) }
        let known = author(of: member, in: state)
        guard let author = known ?? enter(member, counter, in: state) else {
            counts.count(.authors)
            answerBehindAll(member, counter, .tooManyAuthors, in: state)
            return true
        }
        let result = state.perform(
            transaction, counter: counter, author: author, stepLimit: stepLimit,
            within: limits)
        guard let result else {
            if known == nil { state.withdraw(author) }
            return false
        }
        conclude(
            result, transaction, counter, member, author: author, isNew: known == nil, in: state)
        return true
    }

    func beginDraft(in state: RoomState) {
        log.draft.begin(firstRevision: state.engine.revision + 1, epoch: state.epochEntry)
    }

    /// Adds an applied transaction to the record that is being made, or answers a refused one.
    ///
    /// - Parameter isNew: whether the author was entered for this transaction.
    @inline(__always)
    func conclude(
        _ result: Authors.Result, _ transaction: TransactionView, _ counter: UInt64,
        _ member: Member, author: Authors.Author, isNew: Bool, in state: RoomState
    ) {
        if let rejection = result.rejection {
            if rejection.code == .limitExceeded, let limit = state.engine.reachedLimit {
                counts.count(limit == .items ? .items : .sections)
            }
            if isNew { state.withdraw(author) }
            return refuse(rejection, counter, member, in: state)
        }
        if result.details != nil { countLosses(of: result) }
        member.author = author
        if member.didWrite(transaction.bytes.count) { countWritten(by: member) }
        for view in member.viewing.views { view.didCommit(result.revision) }
        if isNew || transaction.traits.hasSeenNothing || !state.authors.isOf(member.user, author) {
            log.draft.append(
                entry(of: author, transaction, counter, member, isNew: isNew, in: state),
                transaction)
        } else {
            log.draft.append(commitOf: author.slot, counter, transaction)
        }
        if log.draft.count == 1 { state.didEnterEpoch() }
        if isNew { evictSurplus(in: state) }
        answers.append(
            RoomAnswer(
                member: member.hasLeft ? nil : member.id, membership: member.number,
                sequence: state.sequence + 1, revision: result.revision, result: result),
            of: member)
    }

    @inline(never)
    private func countLosses(of result: Authors.Result) {
        if case .committed(let commit) = result.outcome { counts.count(commit.superseded) }
    }

    /// The log entry of a commit that introduces its author, names the author's new user, or has
    /// seen nothing.
    @inline(never)
    private func entry(
        of author: Authors.Author, _ transaction: TransactionView, _ counter: UInt64,
        _ member: Member, isNew: Bool, in state: RoomState
    ) -> LogEntry {
        var entry = LogEntry(
            slot: author.slot, counter: counter, hasSeenNothing: transaction.traits.hasSeenNothing)
        if isNew {
            entry.introduction = LogEntry.Introduction(
                client: member.client, secret: member.secret,
                forgottenThrough: state.authors[author].forgottenThrough)
        }
        if !state.authors.isOf(member.user, author) {
            entry.user = member.user
            state.authors.set(user: member.user, of: author)
        }
        return entry
    }

    /// Refuses a transaction for good. The ``RefusalTable`` remembers it for a while; the log does
    /// not.
    private func refuse(
        _ rejection: Rejection, _ counter: UInt64, _ member: Member, in state: RoomState
    ) {
        state.authors.refuse(
            rejection, counter, of: member.secret, at: sequenceOfAnswers(in: state))
        answerBehindAll(member, counter, rejection, in: state)
    }

    /// Answers with a refusal. It may depend on everything that is applied, so it leaves when that
    /// is durable.
    private func answerBehindAll(
        _ member: Member, _ counter: UInt64, _ rejection: Rejection, in state: RoomState
    ) {
        budget.spend(WorkCost.refusal.steps())
        if member.hasLeft { return }
        counts.count(rejection)
        let answer = RoomAnswer(
            member: member.id, membership: member.number,
            sequence: sequenceOfAnswers(in: state), revision: state.engine.revision,
            result: Authors.Result(counter: counter, .rejected(rejection)))
        if answer.sequence > durableSequence {
            answers.append(answer, of: member)
        } else {
            // Nothing waits for the log, so nothing of this member does.
            answers.release(answer)
        }
    }

    /// The record that contains the last applied transaction.
    private func sequenceOfAnswers(in state: RoomState) -> UInt64 {
        log.draft.count > 0 ? state.sequence + 1 : state.sequence
    }

    /// ``submitLimits``, and the room's of items and sections.
    var countedLimits: SubmitLimits {
        var limits = submitLimits
        (limits.items, limits.sections) = (policy.maximumItems, policy.maximumSections)
        return limits
    }

    /// Whether the queued transactions might exceed the room's limits. Each operation makes, or
    /// brings back, at most one item and one section.
    private func mayFill(_ engine: Engine) -> Bool {
        engine.itemCount + queue.transactions.operationCount > policy.maximumItems
            || engine.sectionCount + queue.transactions.operationCount > policy.maximumSections
            || isNearQuota
    }

    /// Queues a rejection, which needs no log record. A member's answers leave in the order of its
    /// requests, so this one follows those that still wait for the log.
    private func reject(_ member: Member, _ counter: UInt64, _ rejection: Rejection) {
        budget.spend(WorkCost.refusal.steps())
        if member.hasLeft { return }
        counts.count(rejection)
        answers.add(
            Authors.Result(counter: counter, .rejected(rejection)), for: member,
            durableSequence: durableSequence)
    }
}
