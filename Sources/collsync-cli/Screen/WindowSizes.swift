import SyncIO
import SyncLoop

/// The sizes that the terminal's window gets, from the beginning until ``finish()``. Of several
/// that it has had meanwhile the last is kept.
final class WindowSizes: Sendable {
    let sizes: AsyncStream<ScreenSize>
    private let watch: SignalWatch

    init() throws(IOError) {
        let (sizes, continuation) = AsyncStream<ScreenSize>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        self.sizes = sizes
        watch = try LoopPlatform().watch([.windowResized], named: "collsync-window") {
            continuation.yield(FullScreen.size)
        }
        // What it had become before anybody watched.
        continuation.yield(FullScreen.size)
    }

    /// Ends the watch and waits until its thread has ended.
    func finish() {
        watch.finish()
    }
}
