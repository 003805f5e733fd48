import Dispatch
import SyncIO

/// A worker that runs its jobs only when the test says so, on the test's thread.
final class ManualWorker: Worker {
    private let jobs = Monitor<[@Sendable () -> Void]>([])

    func submit(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.append(job) }
    }

    func finish() {
        runAll()
    }

    /// Runs the oldest job.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func runOne() -> Bool {
        let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        job?()
        return job != nil
    }

    func runAll() {
        while runOne() {}
    }
}

/// A worker with a real thread.
final class ThreadWorker: Worker {
    private let queue = DispatchQueue(label: "store")

    func submit(_ job: @escaping @Sendable () -> Void) {
        queue.async(execute: job)
    }

    func finish() {
        queue.sync {}
    }
}
