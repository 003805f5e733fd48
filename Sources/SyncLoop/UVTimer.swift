import CUV
import SyncIO

/// A timer that fires once.
final class UVTimer: Handle, Timer {
    private var action: (() -> Void)?

    private init(_ action: @escaping () -> Void) {
        self.action = action
        super.init(UV_TIMER)
    }

    static func start(
        afterMilliseconds delay: UInt64, on loop: UVLoop, _ action: @escaping () -> Void
    ) -> UVTimer {
        let timer = UVTimer(action)
        // Libuv never refuses a timer. If it did, the timer would just never fire.
        guard (try? timer.adopt(uv_timer_init(loop.raw, timer.raw()))) != nil else { return timer }
        // Libuv runs timers until none is due. So timers of 0 ms that start each other would block
        // it.
        uv_timer_start(timer.raw(), timerDidFire, max(delay, 1), 0)
        return timer
    }

    /// A timer that is never due, for a loop that has stopped.
    static func never() -> UVTimer {
        UVTimer {}
    }

    func cancel() {
        close()
    }

    override func close() {
        action = nil
        super.close()
    }

    fileprivate func fire() {
        let action = action
        close()
        action?()
    }
}

private func timerDidFire(_ raw: UnsafeMutablePointer<uv_timer_t>?) {
    Handle.of(raw?.pointee.data, as: UVTimer.self)?.fire()
}
