import Glibc
import SyncIO
import SyncLoop

/// The whole terminal as a screen to draw on.
///
/// 1. From `init` to ``leave()`` the terminal shows the drawing instead of its old content, and
///    keys arrive as they are pressed. Afterwards the terminal is as before.
/// 2. A slow terminal blocks only ``show(_:)``. Each picture is drawn from the newest state when
///    the terminal has accepted the picture before.
final class FullScreen: Sendable {
    private let output = Output()
    private let worker: any Worker
    private let writer = Monitor(ScreenWriter())
    private let hasLeft = Monitor(false)

    /// Whether the terminal is drawn on. It is static, so that ends without ``leave()`` can restore
    /// it, too.
    private static let isDrawnOn = Monitor(false)

    init() throws {
        worker = try LoopPlatform().startWorker(named: "collsync-screen")
        FullScreen.isDrawnOn.withLock { $0 = true }
        TerminalKeys.set(.all)
        do {
            try output.write(bytes: Array(ScreenWriter.entering.utf8))
        } catch {
            leave()
            throw error
        }
    }

    // MARK: Showing

    /// Shows a picture, and returns when the terminal has accepted it.
    func show(_ canvas: ScreenCanvas) async throws {
        let bytes = writer.withLock { $0.update(to: canvas) }
        guard !bytes.isEmpty else { return }
        try await withCheckedThrowingContinuation {
            (waiter: CheckedContinuation<Void, any Error>) in
            worker.submit { [output] in
                waiter.resume(with: Result { try output.write(bytes: bytes) })
            }
        }
    }

    /// Makes the next picture replace everything on the terminal.
    func forget() {
        writer.withLock { $0.forget() }
    }

    // MARK: The end

    /// Restores the terminal, after the current picture.
    func leave() {
        let isFirst = hasLeft.withLock { hasLeft in
            defer { hasLeft = true }
            return !hasLeft
        }
        guard isFirst else { return }
        worker.finish()
        FullScreen.restoreKeys()
        // An error means that the terminal is gone.
        try? output.write(bytes: Array(ScreenWriter.leaving.utf8))
    }

    /// Restores the terminal before the process ends at once; does nothing if it is not drawn on.
    static func abandon() {
        guard restoreKeys() else { return }
        var waiting = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        if poll(&waiting, 1, 0) > 0 { try? Output().write(bytes: Array(ScreenWriter.leaving.utf8)) }
    }

    /// Restores the input settings.
    ///
    /// - Returns: whether the terminal was drawn on.
    @discardableResult
    private static func restoreKeys() -> Bool {
        TerminalKeys.restore()
        return isDrawnOn.withLock { isDrawnOn in
            defer { isDrawnOn = false }
            return isDrawnOn
        }
    }

    // MARK: The window

    /// The terminal's size in characters; the usual size if it is unknown.
    static var size: ScreenSize {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
            window.ws_row > 0
        else { return ScreenSize(columns: 80, rows: 24) }
        return ScreenSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}
