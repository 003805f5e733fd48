import SyncIO
import SyncLoop

/// The sizes of the terminal's window, from the start until ``finish()``. Of several unread sizes
/// only the last is kept.
final class WindowSizes: Sendable {
    let sizes: AsyncStream<ScreenSize>
    private let watch: SignalWatch

    init() throws(IOError) {
        let (sizes, continuation) = AsyncStream<ScreenSize>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        self.sizes = sizes
        watch = try LoopPlatform().watch([.windowResized], named: "collsync-window") { _, _ in
            continuation.yield(FullScreen.size)
        }
        // The size may have changed before the watch began.
        continuation.yield(FullScreen.size)
    }

    /// Ends the watch, and waits until its thread has ended.
    func finish() {
        watch.finish()
    }
}
