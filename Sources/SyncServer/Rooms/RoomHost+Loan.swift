import SyncIO
import SyncRoom
import SyncWire
import Synchronization

// A room whose state is with a worker for a while.
extension RoomHost {
    /// Asks for a worker, if something of the room takes more than a turn has.
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

    /// Lends the state, as a worker is free.
    private func lend(_ turn: WorkerTurn) {
        hasAskedForWorker = false
        guard room.place.isHere else { return }
        guard let loan = images.loan() ?? room.lend(at: loop.loop.nowMilliseconds) else {
            // What it was for is gone, or is refused in a turn.
            loop.touch(self)
            return loop.compose(self)
        }
        loop.context.turns.withLock { $0.loans += 1 }
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
        room.takeBack(loan, at: loop.loop.nowMilliseconds, taking: now - min(lentAt, now))
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
