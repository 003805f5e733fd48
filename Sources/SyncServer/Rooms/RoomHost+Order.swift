import SyncIO
import SyncRoom
import SyncWire

// What is asked of a room while transactions wait that came before.
extension RoomHost {
    /// Work that waits until so many of the room's transactions are applied; first in, first out.
    struct WaitingWork {
        private var list: [(receivedCount: UInt64, work: () -> Void)] = []
        /// What came before is done.
        private var next = 0

        var isEmpty: Bool { next == list.count }

        /// How many transactions the first one waits for.
        var receivedCount: UInt64? { isEmpty ? nil : list[next].receivedCount }

        mutating func append(_ work: @escaping () -> Void, behind receivedCount: UInt64) {
            list.append((receivedCount, work))
        }

        mutating func popFirst() -> (() -> Void)? {
            guard !isEmpty else { return nil }
            let work = list[next].work
            next += 1
            if 2 * next >= list.count {
                list.removeFirst(next)
                next = 0
            }
            return work
        }
    }

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
        waitingWork.append(work, behind: room.receivedCount)
        loop.touch(self)
    }

    /// Does what has waited long enough.
    func doWaiting() {
        // It is touched when its state is back.
        if phase == .open, anyRoom?.isLent == true { return }
        while let count = waitingWork.receivedCount, loop.budget.left > 0 {
            if phase == .open, let room, room.appliedCount < count { return }
            loop.budget.spend(RoomHost.stepsPerWork)
            waitingWork.popFirst()?()
        }
        if !waitingWork.isEmpty { loop.touch(self) }
    }

    /// What one piece of work takes, about.
    private static let stepsPerWork = 16
}

extension ServerLoop {
    /// Does something about a room of this loop behind everything that came for it before.
    func inOrder(_ handle: RoomHandle, _ work: @escaping (ServerLoop) -> Void) {
        guard let host = hosts[handle] else { return work(self) }
        host.inOrder { [self] in work(self) }
    }
}
