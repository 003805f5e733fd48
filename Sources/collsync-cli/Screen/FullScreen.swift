import Glibc
import SyncIO
import SyncLoop

/// A terminal that is drawn on as a whole.
///
/// 1. From its making to ``leave()`` the terminal shows it in place of what was there, and its keys
///    come as they are pressed; afterwards all is as it was.
/// 2. A terminal that is slow makes only ``show(_:)`` wait, and each picture is made of what there
///    is when the terminal has taken the one before.
final class FullScreen: Sendable {
    private let output = Output()
    private let worker: any Worker
    private let writer = Monitor(ScreenWriter())
    private let hasLeft = Monitor(false)

    /// How a terminal was before it was drawn on.
    private struct Former {
        /// How its keys came; `nil` if they come from elsewhere.
        var keys: termios?
    }

    /// How the terminal was, as long as it is drawn on: also for an end that does not come by
    /// ``leave()``.
    private static let former = Monitor(Former?.none)

    init() throws {
        worker = try LoopPlatform().startWorker(named: "collsync-screen")
        var keys = termios()
        let hasKeys = FullScreen.hasKeyboard && tcgetattr(STDIN_FILENO, &keys) == 0
        FullScreen.former.withLock { $0 = Former(keys: hasKeys ? keys : nil) }
        if hasKeys {
            cfmakeraw(&keys)
            tcsetattr(STDIN_FILENO, TCSANOW, &keys)
        }
        do {
            try output.write(bytes: Array(ScreenWriter.entering.utf8))
        } catch {
            leave()
            throw error
        }
    }

    /// Whether keys come from a terminal.
    static var hasKeyboard: Bool { isatty(STDIN_FILENO) != 0 }

    // MARK: Showing

    /// Shows a picture, and returns when the terminal has taken it.
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

    /// Has the next picture drawn as a whole.
    func forget() {
        writer.withLock { $0.forget() }
    }

    // MARK: The end

    /// Gives the terminal back. What is being shown is waited for.
    func leave() {
        let isFirst = hasLeft.withLock { hasLeft in
            defer { hasLeft = true }
            return !hasLeft
        }
        guard isFirst else { return }
        worker.finish()
        FullScreen.restoreKeys()
        // If it can't be said to the terminal, that is gone.
        try? output.write(bytes: Array(ScreenWriter.leaving.utf8))
    }

    /// Gives the terminal back where the process ends at once; does nothing if there is none.
    static func abandon() {
        guard restoreKeys() else { return }
        var waiting = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        if poll(&waiting, 1, 0) > 0 { try? Output().write(bytes: Array(ScreenWriter.leaving.utf8)) }
    }

    /// Has keys come as before.
    ///
    /// - Returns: whether the terminal was drawn on.
    @discardableResult
    private static func restoreKeys() -> Bool {
        former.withLock { former in
            guard let was = former.take() else { return false }
            if var keys = was.keys { tcsetattr(STDIN_FILENO, TCSANOW, &keys) }
            return true
        }
    }

    // MARK: The window

    /// How many characters the terminal shows now; what is usual, if it does not say.
    static var size: ScreenSize {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
            window.ws_row > 0
        else { return ScreenSize(columns: 80, rows: 24) }
        return ScreenSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}
