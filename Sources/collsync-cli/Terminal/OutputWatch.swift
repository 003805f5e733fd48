import Glibc
import SyncIO
import SyncLoop

/// Finds out that the reader of standard output has gone, as `head` does, while nothing is written.
/// A thread of its own waits for that until ``finish()``.
final class OutputWatch: Sendable {
    private let wait: InputWait
    private let worker: any Worker

    /// - Parameter whenClosed: called on another thread, at most once.
    /// - Returns: `nil` if the output is no pipe, or can't be watched.
    init?(whenClosed: @escaping @Sendable () -> Void) {
        guard Output.isPipe, let wait = try? InputWait(),
            let worker = try? LoopPlatform().startWorker(named: "collsync-output")
        else { return nil }
        self.wait = wait
        self.worker = worker
        worker.submit {
            // Of a pipe's writing end only errors are reported.
            if case .readable = Output.waitForClose(wait) { whenClosed() }
        }
    }

    func finish() {
        wait.stop()
        worker.finish()
    }
}
