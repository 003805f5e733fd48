import SyncIO
import SyncRoom
import SyncWire

// What is asked of a room while transactions wait that came before.
extension RoomHost {
    /// Work that waits until so many of the room's transactions are applied; first in, first out.
    typealias WaitingWork = Fifo<(receivedCount: UInt64, work: () -> Void)>

    /// Does what someone asks for behind everything that came before it: now, if nothing waits.
    ///
    /// What a connection may have waiting is bounded: its joins by the rooms it may be in, the rest by
    /// ``Session/maximumWishes``.
    func inOrder(_ work: @escaping () -> Void) {
        guard phase == .open, let room = anyRoom else { return work() }
        if waitingWork.isEmpty, !room.isLent {
            if room.hasQueued { room.applyQueued(at: loop.loop.nowMilliseconds) }
            if !room.hasQueued { return work() }
        }
        waitingWork.append((room.receivedCount, work))
        loop.touch(self)
    }

    /// Does what has waited long enough.
    func doWaiting() {
        // It is touched when its state is back.
        if phase == .open, anyRoom?.isLent == true { return }
        while let count = waitingWork.first?.receivedCount, loop.budget.left > 0 {
            if phase == .open, let room, room.appliedCount < count { return }
            loop.budget.spend(WorkCost.waitingWork.steps())
            waitingWork.popFirst()?.work()
        }
        if !waitingWork.isEmpty { loop.touch(self) }
    }
}

extension ServerLoop {
    /// Does something about a room of this loop behind everything that came for it before.
    func inOrder(_ handle: RoomHandle, _ work: @escaping (ServerLoop) -> Void) {
        guard let host = hosts[handle] else { return work(self) }
        host.inOrder { [self] in work(self) }
    }
}
