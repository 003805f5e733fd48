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
        _ transaction: PackedTransaction, counter: UInt64, from id: MemberID
    ) -> Receipt {
        guard let member = members[id] else { return .absorbed }
        if isSuspended || isWaitingForEarlier(member, counter) {
            refuseForNow(counter, id)
            return .willBeAnswered
        }
        // One that may have been sent before is looked up in a ledger that knows all that came.
        if counter <= member.lastQueued { applyQueued() }
        if let author = member.author {
            switch state.ledger.find(counter, of: author) {
            case .new: break
            case .answered(let outcome): return repeatAnswer(outcome, counter, member)
            case .forgotten:
                answer(id, counter, .rejected(.forgotten))
                return .willBeAnswered
            }
        } else if counter == 0 {
            answer(id, counter, .rejected(.forgotten))
            return .willBeAnswered
        }
        hold(transaction.base, by: member)
        enqueue(Queued(member: member, counter: counter, transaction: transaction))
        return .willBeAnswered
    }

    private func enqueue(_ entry: Queued) {
        entry.member.lastQueued = entry.counter
        queue.append(entry)
        queuedOperations += entry.transaction.operationCount
        state.engine.expect(entry.transaction)
        if queuedOperations >= 2 * Engine.readAheadCount {
            applyQueued(keeping: Engine.readAheadCount)
        }
    }

    /// Has the engine apply what came, ahead of the log.
    package func applyQueued() {
        if queue.isEmpty { return }
        applyQueued(keeping: 0)
        state.engine.expectNothing()
    }

    /// Applies all but some of the last operations, which the engine goes on reading ahead for.
    private func applyQueued(keeping kept: Int) {
        var applied = 0
        while applied < queue.count, kept == 0 || queuedOperations > kept {
            let entry = queue[applied]
            sequence(entry.transaction, entry.counter, entry.member)
            queuedOperations -= entry.transaction.operationCount
            applied += 1
        }
        queue.removeFirst(applied)
    }

    /// What is queued, which is not to be applied.
    func takeQueue() -> [Queued] {
        defer {
            queue = []
            queuedOperations = 0
            state.engine.expectNothing()
        }
        return queue
    }

    /// Takes a member's transaction that could not be read, which is refused in any state.
    package func receive(
        _ rejection: Rejection, counter: UInt64, from id: MemberID
    ) -> Receipt {
        guard members[id] != nil else { return .absorbed }
        answer(id, counter, .rejected(rejection))
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
        let pending = unanswered.firstIndex {
            $0.author == member.author && $0.counter == counter
        }
        guard let pending else {
            answer(member.id, counter, outcome)
            return .willBeAnswered
        }
        if unanswered[pending].asker == member.id { return .absorbed }
        unanswered[pending].asker = member.id
        return .willBeAnswered
    }

    /// Gives the transaction its place, ahead of the log.
    private func sequence(_ transaction: PackedTransaction, _ counter: UInt64, _ member: Member) {
        if draft.count == 0 {
            advanceHorizon()
            draft.begin(firstRevision: state.engine.revision + 1)
        }
        let isNew = member.author == nil
        let author = member.author ?? state.enter(member.client, secret: member.secret)
        member.author = author
        let entry = LogEntry(
            kind: .commit, author: author,
            identity: isNew ? (member.client, member.secret) : nil, counter: counter,
            horizon: state.engine.horizon)
        let outcome: Outcome
        if let rejection = limitExceeded(by: transaction) {
            state.refuse(rejection, counter: counter, author: author)
            outcome = .rejected(rejection)
        } else {
            outcome = state.perform(transaction, counter: counter, author: author)
        }
        draft.append(entry, transaction, outcome)
        unanswered.append(
            Unanswered(
                author: author, asker: member.id, counter: counter,
                sequence: state.sequence + 1, outcome: outcome))
    }

    private func limitExceeded(by transaction: PackedTransaction) -> Rejection? {
        let engine = state.engine
        let isFarFromFull =
            engine.itemCount + transaction.operationCount <= policy.maximumItems
            && engine.sectionCount + transaction.operationCount <= policy.maximumSections
        if isFarFromFull { return nil }
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

    /// Answers what the log need not keep, behind what the member is still to be answered before, and
    /// before what it asks for again of its own that is on the way to the log.
    private func answer(_ id: MemberID, _ counter: UInt64, _ outcome: Outcome) {
        applyQueued()
        guard let last = unanswered.lastIndex(where: { $0.asker == id }) else {
            answers.append(Answer(member: id, counter: counter, outcome: outcome))
            return
        }
        let entry = Unanswered(
            author: nil, asker: id, counter: counter, sequence: unanswered[last].sequence,
            outcome: outcome)
        unanswered.insert(entry, at: last + 1)
    }
}

extension Rejection {
    fileprivate static let forgotten = Rejection(
        code: .forgotten,
        message: "this counter was used before, and what came of it is no longer known")
}
