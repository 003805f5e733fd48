import SyncIO

/// A thread that does one job after the other.
///
/// The thread holds the queue, not the worker: a worker that is dropped without ``finish()`` lets
/// its thread end after the jobs it has.
final class ThreadWorker: Worker {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isFinishing = false
    }

    private let queue = Monitor(Queue())
    private let thread: SystemThread

    /// - Parameter isInBackground: whether other threads go before it.
    init(named name: String, isInBackground: Bool = false) throws(IOError) {
        thread = try SystemThread(named: name) { [queue] in
            if isInBackground { SystemThread.lowerPriority() }
            ThreadWorker.work(on: queue)
        }
    }

    deinit {
        endAfterLastJob()
    }

    func submit(_ job: @escaping @Sendable () -> Void) {
        let mustWake = queue.withLock { queue in
            guard !queue.isFinishing else { return false }
            queue.jobs.append(job)
            return queue.jobs.count == 1
        }
        if mustWake { queue.notify() }
    }

    func finish() {
        endAfterLastJob()
        thread.join()
    }

    private func endAfterLastJob() {
        queue.withLock { $0.isFinishing = true }
        queue.notify()
    }

    /// The thread's life: takes all jobs at hand in one go, so that the lock is not taken for each.
    private static func work(on queue: Monitor<Queue>) {
        while true {
            let jobs = queue.wait { queue -> [@Sendable () -> Void]? in
                if queue.jobs.isEmpty { return queue.isFinishing ? [] : nil }
                defer { queue.jobs = [] }
                return queue.jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { job() }
        }
    }
}
