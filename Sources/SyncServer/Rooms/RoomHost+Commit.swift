import SyncBytes
import SyncCounts
import SyncIO
import SyncModel
import SyncRoom
import SyncStore
import SyncWire
import Synchronization

extension RoomHost {
    /// Does the room's next work, as far as the turn's budget goes: transactions first, then tasks.
    /// The record of what was applied goes to the store. While enough appends are in flight, the
    /// record stays open, unless it is full.
    func endTick(isFull: Bool = false) {
        defer {
            sendAnswers()
            sendRemovals()
        }
        if room.place.isDeleting { return dissolve() }
        guard room.place.isHere else { return }
        room.applyQueued(at: loop.loop.nowMilliseconds)
        if appends.draftSince == nil, room.hasDraft { appends.draftSince = loop.watchdog.last }
        if isFull || appends.count < RoomHost.maximumAppendsUnderWay, endRecord() != nil {
            images.takeIfDue()
        }
        room.sweep()
        doTasks()
        guard room.place.isHere else { return }
        lendIfNeeded()
        if (room.hasQueued && !room.isNextLarge) || room.hasUnswept {
            loop.budget.noteRest()
            loop.touch(self)
        }
    }

    /// Does tasks as long as the state is here. The rest waits for the next turn, for transactions
    /// or for the state.
    private func doTasks() {
        guard room.hasTasks else {
            // The work that the room was touched for may be gone, together with its last user.
            if room.memberCount == 0 { checkIdle() }
            return
        }
        defer { checkIdle() }
        while room.place.isHere {
            guard loop.budget.left > 0 else {
                if room.hasTasks { loop.touch(self) }
                return
            }
            guard let task = room.nextTask() else { return }
            loop.budget.spend(WorkCost.task.steps())
            loop.note(.applying, self)
            loop.watchdog.message = task.message
            room.perform(task)
            loop.note(.asking, self)
            loop.watchdog.message = nil
        }
    }

    /// Queues a task.
    ///
    /// - Parameter client: the client that asks, if it is not a member yet.
    func add(_ task: RoomTask, of client: Identifier? = nil) {
        switch room.place {
        case .opening, .here, .away, .reopening: break
        // Tasks that get an answer are passed to the room that exists after the deletion.
        case .deleting: if !task.getsAnswer { return task.end(.roomDeleted) }
        case .gone: return task.end(.unavailable)
        }
        var task = task
        if task.message == nil { task.message = loop.watchdog.message }
        room.add(task, of: client)
        loop.touch(self)
    }

    @discardableResult
    func endRecord() -> LogRecord? {
        guard let record = room.takeRecord(wallClockMilliseconds: loop.loop.wallClockMilliseconds)
        else { return nil }
        appends.add(record, at: loop.watchdog.last)
        addToDisk(record.body.count)
        charge(record)
        images.add(record)
        loop.context.store.append(record, to: name) { [reference] result in
            reference.post { $0.didAppend(record.sequence, result) }
        }
        return record
    }

    private func didAppend(_ sequence: UInt64, _ result: Result<Void, StoreError>) {
        let append = appends.removeFirst()
        if let append, case .success = result { count(append) }
        loop.context.noteAppend(
            isTaken: (try? result.get()) != nil, at: loop.loop.nowMilliseconds)
        switch room.place {
        case .here, .away(_, .goOn): break
        case .away(_, .reopen), .reopening: return reopenIfPossible()
        case .opening, .deleting, .gone: return
        }
        switch result {
        case .success:
            loop.context.countDisk()
            room.appended(through: sequence)
            images.save(ifCoveredBy: sequence)
            images.makeIfDue()
            loop.compose(self)
            // Transactions that came meanwhile make the next record.
            loop.touch(self)
        case .failure(let error): didFailToAppend(error)
        }
    }

    private func count(_ append: AppendsUnderWay.Append) {
        let (counts, now) = (loop.counts, loop.watchdog.last)
        counts.committed.add(append.transactions)
        counts.durableLags.observe(Int(clamping: now - min(append.since, now)))
    }

    /// Opens the room again after an append has failed, as soon as no append is in flight and no
    /// worker has the state.
    func reopenIfPossible() {
        guard room.place.isReopening, appends.isEmpty else { return }
        open()
    }

    /// Rolls back everything that is not durable. The room is opened again when all appends in
    /// flight have completed, and tasks wait until then.
    private func didFailToAppend(_ error: StoreError) {
        logRefusedRecord(error)
        images.dropPending()
        appends.draftSince = nil
        room.suspend()
        sendAnswers()
        reopenIfPossible()
    }

    /// Sends the answers that are ready. A member's transactions come in runs, and so do its
    /// answers: each run is sent at once.
    func sendAnswers() {
        room.takeAbsorbed { [loop, handle] id in
            loop.onConnection(id) { $0.wasAnswered(1, in: handle) }
        }
        guard room.hasAnswers else { return }
        let limit = WorkCost.answer.units(for: loop.budget.left)
        room.takeAnswers(atMost: limit) { answers in
            loop.budget.spend(1 + WorkCost.answer.steps(answers.count))
            var start = answers.startIndex
            while start < answers.endIndex {
                let member = answers[start].member
                var end = start + 1
                // Compares the values, since comparing the optionals is a generic call for each
                // answer.
                while end < answers.endIndex, answers[end].member?.value == member?.value {
                    end += 1
                }
                if let member { send(answers[start..<end], to: member) }
                start = end
            }
        }
        logTraces()
        if room.hasAnswers {
            loop.budget.noteRest()
            loop.touch(self)
        }
    }

    private func send(_ run: ArraySlice<RoomAnswer>, to member: ConnectionID) {
        let handle = handle
        appends.traces?.noteAnswers(to: member) { counter in
            run.first { $0.counter == counter }?.outcome
        }
        if member.loopIndex == loop.index {
            loop.connections[member]?.take(run, of: handle)
            return
        }
        let copy = ArraySlice(Array(run))
        loop.onConnection(member) { $0.take(copy, of: handle) }
    }

    /// Notifies members that they were removed from the room, as many in a turn as the budget
    /// allows.
    func notifyRemoved(_ memberships: [MembershipID], _ refusal: RoomRefusal) {
        for membership in memberships {
            removals.append((membership, refusal))
        }
        sendRemovals()
    }

    func sendRemovals() {
        // Members that are removed get their answers first.
        if removals.isEmpty || room.hasAnswers { return }
        let handle = handle
        while loop.budget.left > 0, let (membership, refusal) = removals.popFirst() {
            loop.budget.spend(WorkCost.departure.steps())
            loop.onConnection(membership.connection) { $0.didLose(membership, of: handle, refusal) }
        }
        if !removals.isEmpty { loop.touch(self) }
    }

    /// Sends members the changes that they have not got yet, after the answers that must come
    /// first.
    func compose() {
        sendAnswers()
        // An answer must come before a delivery that shows its transaction.
        guard !room.hasAnswers else { return loop.compose(self) }
        guard room.place.isHere || room.place.isReopening else { return }
        // Members that have read slowly are told what is true now.
        if room.isNearLimit(.transactions) || room.isNearLimit(.logBytes) { watchWrites() }
        room.compose(with: loop.codec.encoder, at: loop.loop.nowMilliseconds) { frames, members in
            send(frames, to: members)
        }
        lendIfNeeded()
        if room.hasMoreToCompose {
            loop.budget.noteRest()
            loop.compose(self)
        }
        if room.hasDiscardedScreens { loop.touch(self) }
        if let due = room.viewsDue { composeAgain(at: due) }
        if room.waitsForMemory {
            composeAgain(at: loop.loop.nowMilliseconds + RoomHost.memoryPauseMilliseconds)
        }
        if let due = room.lendingDue, due > loop.loop.nowMilliseconds { composeAgain(at: due) }
        checkIdle()
    }

    /// How long the room waits before it asks again for memory that its members wait for.
    private static let memoryPauseMilliseconds: UInt64 = 100

    /// Composes again when views are due for an update, or when a worker may get the state.
    private func composeAgain(at due: UInt64) {
        if let known = composeTimer {
            guard due < known.due else { return }
            known.timer.cancel()
        }
        let now = loop.loop.nowMilliseconds
        let timer = loop.schedule(afterMilliseconds: due - min(due, now)) { [self] in
            composeTimer = nil
            loop.compose(self)
        }
        composeTimer = (timer, due)
    }

    /// Sends frames to connections of this loop one after the other. Each other loop gets one post
    /// for each encoding, with bytes that its connections share.
    private func send(_ frames: [EncodedFrame], to members: [Member]) {
        let loop = loop
        let channel = Channel.room(handle)
        // Compares numbers, since copying an encoding for each member takes time.
        var encoded: [(number: UInt8, parts: [SharedBytes])] = []
        func parts(for reader: Member) -> [SharedBytes] {
            let number = reader.encoding.number
            for known in encoded where known.number == number { return known.parts }
            let encoder = loop.codec.encoder(in: reader.encoding)
            let bytes = frames.reduce(0) { $0 + $1.bytesToEncode(by: encoder) }
            loop.budget.spend(WorkCost.deflatedBytes.steps(bytes))
            let parts = frames.map { $0.bytes(by: encoder) }
            count(parts, of: number, for: members, besides: encoded.first?.parts)
            encoded.append((number, parts))
            return parts
        }
        var elsewhere: [(loop: Int, reader: Member, ids: [ConnectionID])] = []
        for member in members {
            let id = member.id
            if id.loopIndex == loop.index {
                loop.connections[id]?.take(parts(for: member), of: channel)
                continue
            }
            let index = elsewhere.firstIndex {
                $0.loop == id.loopIndex && $0.reader.encoding.number == member.encoding.number
            }
            if let index {
                elsewhere[index].ids.append(id)
            } else {
                elsewhere.append((id.loopIndex, member, [id]))
            }
        }
        for (target, reader, ids) in elsewhere {
            let parts = parts(for: reader)
            loop.peers[target].post { loop in
                for id in ids { loop.connections[id]?.take(parts, of: channel) }
            }
        }
    }

    /// Counts the bytes of a delivery in an encoding. Nearly always all members have the same. So
    /// the first encoding is counted for all, and another one in its place for its readers.
    private func count(
        _ parts: [SharedBytes], of number: UInt8, for members: [Member],
        besides first: [SharedBytes]?
    ) {
        let bytes = parts.reduce(0) { $0 + $1.count }
        guard let first else { return loop.counts.fanOutBytes.add(members.count * bytes) }
        let readers = members.count { $0.encoding.number == number }
        loop.counts.fanOutBytes.add(readers * (bytes - first.reduce(0) { $0 + $1.count }))
    }
}

// Lending the room's state to a worker for a while.
extension RoomHost {
    /// Asks for a worker, if the room has work that is too long for a turn.
    func lendIfNeeded() {
        guard let owner = room.wantsToLend(at: loop.loop.nowMilliseconds) else { return }
        askForWorker(for: owner)
    }

    func askForWorker(for owner: JobOwner) {
        if hasAskedForWorker { return }
        hasAskedForWorker = true
        loop.context.jobs.ask(.work, for: owner) { [reference] turn in
            reference.post { $0.lend(turn) }
        }
    }

    /// Lends the state to a worker that is free.
    private func lend(_ turn: WorkerTurn) {
        hasAskedForWorker = false
        guard room.place.isHere else { return }
        guard let loan = images.loan() ?? room.lend(at: loop.loop.nowMilliseconds) else {
            // The work for it is gone, or a turn refuses it.
            loop.touch(self)
            return loop.compose(self)
        }
        loop.counts.loans.add(at: loan.kind.rawValue)
        let lentAt = loop.loop.clockMicroseconds
        turn.use { [reference] in
            loan.work()
            reference.post { $0.didReturn(loan, lentAt: lentAt) }
            guard loan.hasRest else { return }
            loan.finish()
            reference.post { $0.didFinish(loan) }
        }
    }

    /// - Parameter lentAt: when it was lent, in microseconds.
    private func didReturn(_ loan: Loan, lentAt: UInt64) {
        let now = loop.loop.clockMicroseconds
        let taken = now - min(lentAt, now)
        loop.counts.loanTimes.observe(Int(clamping: taken))
        room.takeBack(loan, at: loop.loop.nowMilliseconds, taking: taken)
        reopenIfPossible()
        images.makeIfDue()
        loop.touch(self)
        loop.compose(self)
    }

    private func didFinish(_ loan: Loan) {
        room.conclude(loan)
        loop.compose(self)
    }
}
