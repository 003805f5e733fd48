import SyncIO
import SyncRoom
import SyncWire

// What a turn has left to do at its end, and what it leaves to the next one.
extension ServerLoop {
    /// What a system call takes that writes, and what copying bytes there takes, in steps.
    private static let stepsPerFlush = 8
    private static let stepsPerKilobyteWritten = 4
    /// The memory for so many connections to write to is kept.
    private static let keptSessions = 1024

    /// Has the room's record made at the end of this turn.
    func touch(_ host: RoomHost) {
        if host.isTouched { return }
        host.isTouched = true
        touchedHosts.append(host)
        askForTurnEnd()
    }

    /// Has what the room's members lack made at the end of this turn.
    func compose(_ host: RoomHost) {
        if host.isComposing { return }
        host.isComposing = true
        composingHosts.append(host)
        askForTurnEnd()
    }

    /// Has what the connection has to say written at the end of this turn.
    func flush(_ session: Session) {
        if session.isDirty { return }
        session.isDirty = true
        dirtySessions.append(session)
        askForTurnEnd()
    }

    /// Has the connection read on in the next turn.
    ///
    /// - Parameter isSmall: whether the next frame is little work.
    func readLater(_ session: Session, isSmall: Bool) {
        if session.inbox.isWaitingForTurn { return }
        session.inbox.isWaitingForTurn = true
        waitingSessions.add(
            session, of: session.address.account.map { ObjectIdentifier($0) }, isSmall: isSmall)
        budget.noteRest()
        askForTurnEnd()
    }

    /// Notes that work begins, if the turn has not begun before. The turn ends with it, so that what comes
    /// after the loop has slept is another turn.
    @inline(__always)
    func beginWork() {
        watchdog.begin(at: loop.clockMicroseconds)
        askForTurnEnd()
    }

    func askForTurnEnd() {
        if isTurnEndAsked { return }
        isTurnEndAsked = true
        loop.atEndOfTurn { [self] in endTurn() }
    }

    private func endTurn() {
        watchdog.begin(at: loop.clockMicroseconds)
        budget.beginSecondHalf()
        endTicks()
        composeHosts()
        // What is asked for from here on is for the next turn.
        isTurnEndAsked = false
        flushSessions()
        endTurnOfReads()
        settleAccounts()
        reportIfSettled()
        if !touchedHosts.isEmpty || !composingHosts.isEmpty || !dirtySessions.isEmpty {
            askForTurnEnd()
        }
        endWatch()
        context.turns.add(steps: budget.spent, isFull: budget.hasRest)
        budget.beginTurn()
        readWaitingSessions()
    }

    private func endTicks() {
        let touched = touchedHosts
        touchedHosts = []
        var next = 0
        while next < touched.count, budget.left > 0 {
            let host = touched[next]
            next += 1
            host.isTouched = false
            budget.beginShare()
            host.endTick()
            host.enterMemory()
            watchdog.note(.applying, host, at: loop.clockMicroseconds)
        }
        guard next < touched.count else { return }
        budget.noteRest()
        // Those that had no turn come before those that had one and are not done.
        touchedHosts = touched[next...] + touchedHosts
    }

    private func composeHosts() {
        let composing = composingHosts
        composingHosts = []
        // There is always some left for this: else a flood of transactions would keep all from being seen.
        budget.beginSecondHalf()
        var next = 0
        while next < composing.count, budget.left > 0 {
            let host = composing[next]
            next += 1
            host.isComposing = false
            host.compose()
            host.enterMemory()
            watchdog.note(.composing, host, at: loop.clockMicroseconds)
        }
        guard next < composing.count else { return }
        budget.noteRest()
        composingHosts = composing[next...] + composingHosts
    }

    private func flushSessions() {
        if dirtySessions.isEmpty { return }
        // The lists take turns, so that their memory serves turn after turn.
        swap(&dirtySessions, &flushingSessions)
        let now = loop.nowMilliseconds
        // Writing has a half of its own: else a turn full of work would leave it to the next, or the other way.
        var left = max(1, budget.stepsPerTurn / 2)
        var count = 0
        while count < flushingSessions.count, left > 0 {
            let session = flushingSessions[count]
            count += 1
            left -=
                ServerLoop.stepsPerFlush
                + (session.outbox.byteCount >> 10) * ServerLoop.stepsPerKilobyteWritten
            session.isDirty = false
            session.flush(at: now)
            session.enterMemory()
        }
        context.turns.add(writeSteps: max(1, budget.stepsPerTurn / 2) - left)
        watchdog.note(.writing, nil, at: loop.clockMicroseconds)
        if count < flushingSessions.count {
            dirtySessions = flushingSessions[count...] + dirtySessions
        }
        flushingSessions.removeAll(
            keepingCapacity: flushingSessions.count <= ServerLoop.keptSessions)
    }

    /// Begins the next turn with the connections that had to wait, at most half of what may come in.
    /// Of those whose next frame is large one is read at least.
    private func readWaitingSessions() {
        if waitingSessions.isEmpty { return }
        let all = budget.left
        // Whoever has to wait again comes in the next turn.
        var rest = waitingSessions.count
        func read(_ session: Session, isSmall: Bool) {
            rest -= 1
            session.inbox.isWaitingForTurn = false
            session.resumeReading(smallFramesOnly: isSmall)
        }
        // Small frames come first, but leave something for the others.
        while rest > 0, budget.left > all - all / 4, let session = waitingSessions.nextSmall() {
            read(session, isSmall: true)
        }
        var enough = 0
        while rest > 0, budget.left > enough, let session = waitingSessions.nextLarge() {
            read(session, isSmall: false)
            enough = all / 2
        }
        while rest > 0, budget.left > all / 2, let session = waitingSessions.nextSmall() {
            read(session, isSmall: true)
        }
        if rest > 0 { budget.noteRest() }
        if !waitingSessions.isEmpty { askForTurnEnd() }
    }

    private func endWatch() {
        guard let hold = watchdog.end(at: loop.clockMicroseconds) else { return }
        let limit = configuration.slowMilliseconds
        guard limit > 0, hold.microseconds >= limit * 1000 else { return }
        context.turns.addHold()
        context.log.log(
            .warning, "a loop was held",
            [
                "milliseconds": "\(hold.microseconds / 1000)", "by": hold.work.rawValue,
                "message": hold.message.map { "\($0)" } ?? "", "room": hold.room?.text ?? "",
                "loop": "\(index)",
            ])
    }
}
