import SyncIO
import SyncRoom

// A room whose state is with a worker for a while.
extension RoomHost {
    /// The room, unless a worker has its state. Whoever finds none then waits, see ``inOrder(_:)``.
    var room: Room? {
        if let anyRoom, !anyRoom.isLent { anyRoom } else { nil }
    }

    /// Has a worker apply the next transaction, if that takes more than a turn has for it.
    func lendIfNeeded(_ room: Room) {
        guard let loan = room.lend() else { return }
        loop.context.turns.addLoan()
        let post = loop.peers[loop.index]
        let handle = handle
        loop.context.lender.submit {
            loan.work()
            post.post { loop in loop.hosts[handle]?.didReturn(loan) }
        }
    }

    private func didReturn(_ loan: Loan) {
        guard let anyRoom else { return }
        anyRoom.takeBack(loan)
        loop.touch(self)
        loop.compose(self)
    }
}
