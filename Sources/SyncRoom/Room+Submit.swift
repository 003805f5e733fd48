package import SyncEngine

/// How a transaction that was received will be answered.
package enum Receipt: Equatable {
    /// By an ``Room/Answer``: now, or when the log has it.
    case willBeAnswered
    /// By none of its own: it was sent twice, and one answer comes.
    case absorbed
}

extension Room {
    /// Takes a member's transaction. It is applied with the next ``applyQueued()``, or before.
    package func receive(
        _ transaction: TransactionView, counter: UInt64, from id: MemberID
    ) -> Receipt {
        guard let member = members[id] else { return .absorbed }
        return receive(transaction, counter: counter, from: member)
    }

    /// Takes a transaction of one who is a member.
    package func receive(
        _ transaction: TransactionView, counter: UInt64, from member: Member
    ) -> Receipt {
        if isSuspended || isWaitingForEarlier(member, counter) {
            refuseForNow(counter, member.id)
            return .willBeAnswered
        }
        if counter <= member.lastCounter, let receipt = recall(counter, of: member) {
            return receipt
        }
        hold(transaction.base, by: member)
        enqueue(transaction, counter, member)
        return .willBeAnswered
    }

    /// Looks up a transaction that may have been sent before.
    ///
    /// - Returns: how it will be answered; `nil` if it is new.
    private func recall(_ counter: UInt64, of member: Member) -> Receipt? {
        // The ledger is to know all that came.
        applyQueued()
        let finding = member.author.map { state.ledger.find(counter, of: $0) }
        switch finding ?? (counter == 0 ? .forgotten : .new) {
        case .new: return nil
        case .answered(let outcome): return repeatAnswer(outcome, counter, member)
        case .forgotten:
            answer(member, counter, .rejected(.forgotten))
            return .willBeAnswered
        }
    }

    private func enqueue(_ transaction: TransactionView, _ counter: UInt64, _ member: Member) {
        member.lastCounter = counter
        queue.append(transaction, counter, of: member)
        if queue.operationCount >= 2 * Engine.readAheadCount {
            applyQueued(keeping: Engine.readAheadCount)
        }
    }

    /// Has the engine apply what came, ahead of the log.
    ///
    /// - Parameter now: when it came, in milliseconds on the clock of ``compose(with:at:deliver:)``.
    package func applyQueued(at now: UInt64) {
        applyQueued()
        draft.note(time: now)
    }

    /// Has the engine apply what came, ahead of the log.
    package func applyQueued() {
        if queue.isEmpty { return }
        applyQueued(keeping: 0)
        state.engine.expectNothing()
    }

    /// Applies all but some of the last operations, which the engine goes on reading ahead for.
    private func applyQueued(keeping kept: Int) {
        let state = state
        queue.show(to: state.engine)
        let mayFill = mayFill(state.engine)
        queue.take(keeping: kept) { transaction, counter, member in
            let rejection = mayFill ? limitExceeded(by: transaction, in: state.engine) : nil
            sequence(transaction, counter, member, rejection, in: state)
        }
    }

    /// What is queued, which is not to be applied.
    func takeQueue(_ body: (MemberID, UInt64) -> Void) {
        queue.take(keeping: 0) { body($2.id, $1) }
        state.engine.expectNothing()
    }

    /// Takes a member's transaction that could not be read, which is refused in any state.
    package func receive(
        _ rejection: Rejection, counter: UInt64, from id: MemberID
    ) -> Receipt {
        guard let member = members[id] else { return .absorbed }
        answer(member, counter, .rejected(rejection))
        return .willBeAnswered
    }

    /// Whether an earlier transaction of the member was answered `unavailable` and is still to come
    /// again.
    private func isWaitingForEarlier(_ member: Member, _ counter: UInt64) -> Bool {
        guard let first = member.refusedFrom else { return false }
        if counter > first { return true }
        if counter == first { member.refusedFrom = nil }
        return false
    }

    private func repeatAnswer(
        _ outcome: Outcome, _ counter: UInt64, _ member: Member
    ) -> Receipt {
        guard let author = member.author else { return .absorbed }
        let isAnswered = answers.answerAgain(
            Ledger.Result(counter: counter, outcome), author: author, for: member,
            durableSequence: durableSequence)
        return isAnswered ? .willBeAnswered : .absorbed
    }

    /// Gives the transaction its place, ahead of the log.
    ///
    /// - Parameter rejection: why the engine is not to be asked.
    private func sequence(
        _ transaction: TransactionView, _ counter: UInt64, _ member: Member,
        _ rejection: Rejection?, in state: RoomState
    ) {
        let engine = state.engine
        if draft.count == 0 {
            advanceHorizon()
            draft.begin(firstRevision: engine.revision + 1, horizon: engine.horizon)
        }
        let isNew = member.author == nil
        let author = member.author ?? state.enter(member.client, secret: member.secret)
        member.author = author
        let result: Ledger.Result
        if let rejection {
            result = state.refuse(rejection, counter: counter, author: author)
        } else {
            let performed = state.perform(
                transaction, counter: counter, author: author, within: submitLimits)
            result = performed ?? state.refuse(.unavailable, counter: counter, author: author)
        }
        let refusal = result.rejection
        draft.append(
            LogEntry(
                kind: refusal == nil ? .commit : .reject, author: author,
                identity: isNew ? (member.client, member.secret) : nil, counter: counter,
                horizon: draft.horizon), transaction, refusal)
        answers.append(
            Answer(
                member: member.id, membership: member.number, author: author,
                sequence: state.sequence + 1, result: result),
            of: member)
    }

    /// Whether what is queued may bring the room over its limits.
    private func mayFill(_ engine: Engine) -> Bool {
        engine.itemCount + queue.operationCount > policy.maximumItems
            || engine.sectionCount + queue.operationCount > policy.maximumSections
    }

    private func limitExceeded(
        by transaction: TransactionView, in engine: Engine
    ) -> Rejection? {
        var items = engine.itemCount
        var sections = engine.sectionCount
        var index = 0
        var rejection: Rejection?
        transaction.forEachOperation { operation in
            if operation.kind == .insert { items += 1 }
            if operation.kind == .insertSection { sections += 1 }
            if operation.kind == .insert, items > policy.maximumItems {
                rejection = Rejection(
                    operation: index, code: .limitExceeded,
                    message: "a room holds at most \(policy.maximumItems) items")
            } else if operation.kind == .insertSection, sections > policy.maximumSections {
                rejection = Rejection(
                    operation: index, code: .limitExceeded,
                    message: "a room holds at most \(policy.maximumSections) sections")
            }
            index += 1
            return rejection == nil
        }
        return rejection
    }

    /// Queues an answer that needs no log record. A member's answers leave in the order of its
    /// requests, so this one follows those that still wait for the log.
    private func answer(_ member: Member, _ counter: UInt64, _ outcome: Outcome) {
        applyQueued()
        answers.add(
            Ledger.Result(counter: counter, outcome), for: member,
            durableSequence: durableSequence)
    }
}

extension Rejection {
    fileprivate static let forgotten = Rejection(
        code: .forgotten,
        message: "this counter was used before, and what came of it is no longer known")
}
