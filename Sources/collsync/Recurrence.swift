import SyncIO

/// Does something on a worker again and again, when a loop's timer asks for it. While the worker
/// has not done it, as a disk does not answer, it is not asked again.
final class Recurrence: Sendable {
    private let worker: any Worker
    private let work: @Sendable () -> Void
    private let isUnderWay = Monitor(false)

    static let pauseMilliseconds: UInt64 = 1000

    init(on worker: any Worker, _ work: @escaping @Sendable () -> Void) {
        self.worker = worker
        self.work = work
    }

    /// Begins now. Called on the loop.
    func begin(on loop: any EventLoop) {
        let asks = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        if asks {
            worker.submit { [self] in
                work()
                isUnderWay.withLock { $0 = false }
            }
        }
        loop.schedule(afterMilliseconds: Recurrence.pauseMilliseconds) { [self, unowned loop] in
            begin(on: loop)
        }
    }
}
