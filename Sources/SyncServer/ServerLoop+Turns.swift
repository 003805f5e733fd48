import SyncBytes
import SyncCounts
import SyncIO
import SyncModel
import SyncRoom
import SyncWire
import Synchronization

// The work at the end of a turn, and the work that it leaves to the next one.
extension ServerLoop {
    /// The list of connections to write to keeps its memory up to this length.
    private static let retainedSessions = 1024

    /// Schedules the room's tick, which makes its record, for the end of this turn.
    func touch(_ host: RoomHost) {
        if host.isTouched { return }
        host.isTouched = true
        agenda.touchedHosts.append(host)
        askForTurnEnd()
    }

    /// Schedules the room's deliveries to its members for the end of this turn.
    func compose(_ host: RoomHost) {
        if host.isComposing { return }
        host.isComposing = true
        agenda.composingHosts.append(host)
        askForTurnEnd()
    }

    /// Schedules the connection's write for the end of this turn.
    func flush(_ session: Session) {
        if session.isDirty { return }
        session.isDirty = true
        agenda.dirtySessions.append(session)
        askForTurnEnd()
    }

    /// Schedules reading from the connection for the next turn.
    ///
    /// - Parameter isSmall: whether the next frame is little work.
    func readLater(_ session: Session, isSmall: Bool) {
        if session.inbox.isWaitingForTurn { return }
        session.inbox.isWaitingForTurn = true
        agenda.waitingSessions.add(session, of: session.owner, isSmall: isSmall)
        askForTurnEnd()
    }

    /// Schedules reading from a gateway's connection for the next turn.
    ///
    /// - Parameters:
    ///   - isSmall: whether little is left to read.
    ///   - read: gets how many steps it may take.
    func readLater(
        for owner: ObjectIdentifier, isSmall: Bool, _ read: @escaping (_ steps: Int) -> Void
    ) {
        agenda.waitingInput.add(read, of: owner, isSmall: isSmall)
        askForTurnEnd()
    }

    /// Schedules a step of a connection's handshake for the next turn.
    func shakeHandsLater(for owner: ObjectIdentifier, _ step: @escaping () -> Void) {
        agenda.handshakes.add(step, of: owner, isSmall: false)
        askForTurnEnd()
    }

    // MARK: Work from outside

    /// Runs work for a stream, a timer or another thread. All work of a loop goes through here,
    /// except for the end of a turn, which follows it. So the watchdog measures the work, and the
    /// turn has begun.
    @inline(__always)
    func perform(_ work: TurnWork, for message: StaticString? = nil, _ body: () -> Void) {
        beginWork()
        hosts.forgetUse()
        watchdog.message = message
        body()
        note(work, hosts.used)
    }

    @discardableResult
    func schedule(
        afterMilliseconds delay: UInt64, _ action: @escaping () -> Void
    ) -> any Timer {
        loop.schedule(afterMilliseconds: delay) { [self] in perform(.timing, action) }
    }

    /// Begins the turn, if it has not begun, and schedules its end. So work after the loop has
    /// slept belongs to another turn.
    @inline(__always)
    func beginWork() {
        watchdog.begin(at: loop.clockMicroseconds)
        askForTurnEnd()
    }

    func askForTurnEnd() {
        if agenda.isEndAsked { return }
        agenda.isEndAsked = true
        loop.atEndOfTurn { [self] in endTurn() }
    }

    /// Ends a piece of work.
    ///
    /// - Returns: how long it took, in microseconds.
    @inline(__always)
    @discardableResult
    func note(_ work: TurnWork, _ host: RoomHost? = nil) -> Int {
        let taken = watchdog.note(work, host, at: loop.clockMicroseconds)
        budget.note(turnMicroseconds: watchdog.turnMicroseconds)
        return taken
    }

    // MARK: The end of a turn

    private func endTurn() {
        if agenda.hasDrained {
            agenda.hasDrained = false
            note(.draining)
        }
        watchdog.begin(at: loop.clockMicroseconds)
        watchdog.message = nil
        begin(.apply, isDone: agenda.waitingSessions.isEmpty)
        doPieces()
        endTicks()
        begin(.compose, isDone: agenda.touchedHosts.isEmpty)
        composeHosts()
        doReads()
        pumpFeeds()
        // Work that is added from here on is for the next turn.
        agenda.isEndAsked = false
        begin(
            .write,
            isDone: agenda.composingHosts.isEmpty && agenda.reads.isEmpty && agenda.feeds.isEmpty)
        flushSessions()
        settleAccounts()
        if drain.whenSettled != nil { reportIfSettled() }
        if hasRest { askForTurnEnd() }
        endWatch()
        let (steps, isFull) = (budget.spent, budget.hasRest)
        begin(.read, isDone: agenda.unwrittenSessions.isEmpty)
        counts.turns.add(steps: steps, of: agenda.phaseSteps, isFull: isFull)
        shakeHands()
        readWaitingSessions()
        readWaitingInput()
    }

    /// Ends a phase of the turn, and begins the next one.
    private func begin(_ phase: TurnPhase, isDone: Bool) {
        let former = budget.phase.rawValue
        agenda.phaseSteps[former] = budget.begin(phase, isDone: isDone)
    }

    /// Whether a phase has left work.
    private var hasRest: Bool {
        !agenda.pieceWork.isEmpty || !agenda.touchedHosts.isEmpty || !agenda.composingHosts.isEmpty
            || !agenda.reads.isEmpty
            || !agenda.feeds.isEmpty || !agenda.dirtySessions.isEmpty
            || !agenda.unwrittenSessions.isEmpty
    }

    /// Ends all tasks that waited for a room, or passes them to another one, piece by piece.
    func finish(_ tasks: TaskLanes, _ finish: @escaping (RoomTask) -> Void) {
        if tasks.isEmpty { return }
        var left = tasks
        inPieces {
            guard let task = left.popFirst() else { return false }
            finish(task)
            return true
        }
    }

    /// Does work piece by piece, in this turn and the next ones, in turn with other work of that
    /// sort. A piece costs as much as a task; what it costs beyond that, it spends itself.
    ///
    /// - Parameter doNext: does the next piece, and returns whether there was one.
    func inPieces(_ doNext: @escaping () -> Bool) {
        agenda.pieceWork.add(doNext)
        askForTurnEnd()
    }

    /// Does work piece by piece, with at most half of the budget that is left.
    private func doPieces() {
        let kept = budget.left / 2
        while budget.left > kept, let work = agenda.pieceWork.next() {
            budget.spend(WorkCost.task.steps())
            if work.doNext() { agenda.pieceWork.putBack(work) }
        }
        if !agenda.pieceWork.isEmpty { budget.noteRest() }
    }

    private func endTicks() {
        let touched = agenda.touchedHosts
        agenda.touchedHosts = []
        var next = 0
        while next < touched.count, budget.left > 0 {
            let host = touched[next]
            next += 1
            host.isTouched = false
            budget.beginShare()
            host.endTick()
            host.countMemory()
            note(.applying, host)
        }
        guard next < touched.count else { return }
        budget.noteRest()
        // Those that had no turn come before those that had one and are not done.
        agenda.touchedHosts = touched[next...] + agenda.touchedHosts
    }

    private func composeHosts() {
        let composing = agenda.composingHosts
        agenda.composingHosts = []
        var next = 0
        while next < composing.count, budget.left > 0 {
            let host = composing[next]
            next += 1
            host.isComposing = false
            let layoutSteps = counts.rooms.layoutSteps.value
            host.compose()
            host.countMemory()
            let taken = note(.composing, host)
            counts.composeTimes.observe(taken)
            if counts.rooms.layoutSteps.value != layoutSteps { counts.layoutTimes.observe(taken) }
        }
        guard next < composing.count else { return }
        budget.noteRest()
        agenda.composingHosts = composing[next...] + agenda.composingHosts
    }

    /// Schedules work for a read request, in this turn or in one of the next ones.
    ///
    /// - Parameter items: about how many items or changes it encodes.
    func read(_ items: Int, for owner: JobOwner, _ work: @escaping () -> Void) {
        agenda.reads.add((items, work), of: owner)
        askForTurnEnd()
    }

    private func doReads() {
        if agenda.reads.isEmpty { return }
        while budget.left > 0, let (items, work) = agenda.reads.next() {
            budget.spend(1 + WorkCost.readItem.steps(items))
            work()
            note(.answering)
        }
        if !agenda.reads.isEmpty { budget.noteRest() }
    }

    private func pumpFeeds() {
        if agenda.feeds.isEmpty { return }
        agenda.feeds.serve(from: budget, keeping: 0) { feed, _ in feed.pumpNow() }
        if !agenda.feeds.isEmpty { budget.noteRest() }
        note(.answering)
    }

    /// Writes to connections. A turn mostly suffices for all. If not, those with little output come
    /// before the others, and in both groups users and addresses take turns.
    private func flushSessions() {
        if agenda.dirtySessions.isEmpty, agenda.unwrittenSessions.isEmpty { return }
        // The lists are swapped, so their memory is reused turn after turn.
        swap(&agenda.dirtySessions, &agenda.flushingSessions)
        let now = loop.nowMilliseconds
        // As long as no other write is queued, a small one need not be queued.
        var isFree = agenda.unwrittenSessions.isEmpty
        var next = 0
        while next < agenda.flushingSessions.count {
            let session = agenda.flushingSessions[next]
            next += 1
            isFree = isFree && session.outbox.isSmall(true) && budget.left > 0
            if isFree {
                flush(session, at: now)
            } else {
                agenda.unwrittenSessions.add(
                    session, of: session.owner, isSmall: session.outbox.isSmall(false))
            }
        }
        if !agenda.unwrittenSessions.isEmpty {
            agenda.unwrittenSessions.serve(from: budget, keeping: 0) { session, _ in
                flush(session, at: now)
            }
            if !agenda.unwrittenSessions.isEmpty { budget.noteRest() }
        }
        counts.writeTimes.observe(note(.writing))
        agenda.flushingSessions.removeAll(
            keepingCapacity: agenda.flushingSessions.count <= ServerLoop.retainedSessions)
    }

    private func flush(_ session: Session, at now: UInt64) {
        session.isDirty = false
        budget.spend(session.flush(at: now))
        session.countMemory()
    }

    /// Begins the next turn with the connections that had to wait. They use at most half of the
    /// budget for input. If very many wait, each reads less, so that one that comes after them
    /// waits for few turns.
    private func readWaitingSessions() {
        if agenda.waitingSessions.isEmpty { return }
        let each = min(
            Session.stepsPerTurn,
            max(Session.leastStepsPerTurn, budget.left / agenda.waitingSessions.count))
        agenda.waitingSessions.serve(from: budget, keeping: budget.left / 2) { session, isSmall in
            session.inbox.isWaitingForTurn = false
            perform(.reading) { session.resumeReading(atMost: each, smallFramesOnly: isSmall) }
        }
        if !agenda.waitingSessions.isEmpty {
            budget.noteRest()
            askForTurnEnd()
        }
    }

    /// Reads on from gateways' connections that had to wait, with at most half of what sessions
    /// have left.
    private func readWaitingInput() {
        let count = agenda.waitingInput.count
        guard count > 0 else { return }
        let each = min(budget.stepsPerShare, max(1, budget.left / count))
        agenda.waitingInput.serve(from: budget, keeping: budget.left / 2) { read, _ in
            perform(.reading) { read(each) }
        }
        if !agenda.waitingInput.isEmpty {
            budget.noteRest()
            askForTurnEnd()
        }
    }

    /// Does handshakes, with at most a quarter of the budget for input, but at least one.
    private func shakeHands() {
        if agenda.handshakes.isEmpty { return }
        let kept = budget.left - budget.left / 4
        let steps = handshakeSteps
        agenda.handshakes.serve(from: budget, keeping: kept) { step, _ in
            budget.spend(steps)
            perform(.reading) { step() }
        }
        if !agenda.handshakes.isEmpty {
            budget.noteRest()
            askForTurnEnd()
        }
    }

    private var handshakeSteps: Int {
        (configuration.security?.handshakeMicroseconds ?? 0) * 1000 / WorkCost.stepNanoseconds
    }

    private func endWatch() {
        guard let microseconds = watchdog.end(at: loop.clockMicroseconds) else { return }
        let limit = configuration.slowMilliseconds
        guard limit > 0, UInt64(microseconds) >= limit * 1000 else { return }
        counts.turns.holds.add()
        let piece = watchdog.longestPiece
        let room = piece.room.flatMap { hosts[$0]?.name.text }
        context.log.log(
            .warning, "a loop was held",
            [
                "milliseconds": "\(microseconds / 1000)", "by": piece.work.rawValue,
                "message": piece.message.map { "\($0)" } ?? "", "room": room ?? "",
                "loop": "\(index)",
            ])
    }
}
