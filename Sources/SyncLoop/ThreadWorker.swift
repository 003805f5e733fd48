import SyncIO

/// A thread that does one job after the other.
///
/// The thread retains the queue, not the worker. If a worker is released without ``finish()``, its
/// thread ends after the queued jobs.
final class ThreadWorker: Worker {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isFinishing = false
    }

    private let queue = Monitor(Queue())
    private let thread: SystemThread

    /// - Parameter isInBackground: whether it has a lower priority than other threads.
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

    /// The thread's function. It dequeues all jobs at once, so it does not lock for each.
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
