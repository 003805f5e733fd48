import Glibc
import SyncIO
import SyncLoop
import SyncTerminal
import Synchronization

/// Turns SIGINT and SIGTERM into a cancelled task, so that a command can end cleanly. A second
/// signal ends the process at once.
enum Interruption {
    /// Runs `body` in a task that a signal cancels, and returns its result. No signals are watched
    /// after it returns.
    static func cancels<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await body() }
        let hasCome = Atomic(false)
        let watch: SignalWatch?
        do {
            watch = try LoopPlatform().watch([.interrupt, .terminate], named: "collsync-signals") {
                _, _ in
                if hasCome.exchange(true, ordering: .relaxed) {
                    FullScreen.abandon()
                    _exit(128 + SIGINT)
                }
                task.cancel()
            }
        } catch {
            watch = nil
            Terminal.say("warning: \(error); a signal ends the program at once")
        }
        defer { watch?.finish() }
        return try await task.value
    }
}
