import SyncIO
import SyncRoom
import SyncWire

// A room whose state is with a worker for a while.
extension RoomHost {
    /// The room, unless a worker has its state. Whoever finds none then waits, see ``inOrder(_:)``.
    var room: Room? {
        if let anyRoom, !anyRoom.isLent { anyRoom } else { nil }
    }

    /// Asks for a worker, if something of the room takes more than a turn has.
    func lendIfNeeded(_ room: Room) {
        if room.wantsToLend(at: loop.loop.nowMilliseconds) { askForLender() }
    }

    func askForLender() {
        if isAtLender { return }
        isAtLender = true
        if loop.context.lender.take(for: handle, of: loop.peers[loop.index]) { lend() }
    }

    /// Lends the state, as the worker is free.
    func lend() {
        isAtLender = false
        let lender = loop.context.lender
        guard phase == .open, let room, let loan = nextLoan(of: room) else {
            return lender.giveBack()
        }
        loop.context.turns.addLoan()
        lentAt = loop.loop.clockMicroseconds
        let post = loop.peers[loop.index]
        let handle = handle
        lender.submit {
            loan.work()
            post.post { loop in loop.hosts[handle]?.didReturn(loan) }
            guard loan.hasRest else { return }
            loan.finish()
            post.post { loop in loop.hosts[handle]?.didFinish(loan) }
        }
    }

    private func nextLoan(of room: Room) -> Loan? {
        if let loan = loanForTail(of: room) { return loan }
        return room.lend(at: loop.loop.nowMilliseconds)
    }

    private func didReturn(_ loan: Loan) {
        guard let anyRoom else { return }
        let now = loop.loop.clockMicroseconds
        anyRoom.takeBack(
            loan, at: loop.loop.nowMilliseconds, taking: now - min(lentAt, now))
        if hasAppendFailed { return reopenIfPossible() }
        loop.touch(self)
        loop.compose(self)
    }

    private func didFinish(_ loan: Loan) {
        guard let anyRoom else { return }
        anyRoom.conclude(loan)
        loop.compose(self)
    }
}

extension ServerLoop {
    /// It is the turn of one of its rooms to lend its state.
    func lend(_ handle: RoomHandle) {
        guard let host = hosts[handle] else { return context.lender.giveBack() }
        host.lend()
    }
}
