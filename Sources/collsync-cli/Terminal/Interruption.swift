import Glibc
import SyncIO
import SyncLoop
import Synchronization

/// Turns SIGINT and SIGTERM into a cancelled task, so that a command ends where it can end well. A
/// second signal ends the process at once.
enum Interruption {
    /// Does `body` in a task that a signal cancels, and gives what it gives.
    static func cancels<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await body() }
        let hasCome = Atomic(false)
        let handle: @Sendable () -> Void = {
            if hasCome.exchange(true, ordering: .relaxed) {
                FullScreen.abandon()
                _exit(128 + SIGINT)
            }
            task.cancel()
        }
        try LoopPlatform().startLoop(named: "collsync-signals") { loop in
            for signal in [ProcessSignal.interrupt, .terminate] {
                do throws(IOError) {
                    try LoopPlatform().onSignal(signal, on: loop, handle)
                } catch {
                    Terminal.say("warning: \(error); it ends the program at once")
                }
            }
        }
        return try await task.value
    }
}
