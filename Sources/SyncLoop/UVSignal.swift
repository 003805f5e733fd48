import CUV
import Glibc
import SyncIO

/// A watch on a signal of the process, open as long as its loop.
final class UVSignal: Handle {
    private var action: (() -> Void)?

    private init(_ action: @escaping () -> Void) {
        self.action = action
        super.init(UV_SIGNAL)
    }

    static func open(
        _ signal: ProcessSignal, on loop: UVLoop, _ action: @escaping () -> Void
    ) throws(IOError) {
        let watch = UVSignal(action)
        try watch.adopt(uv_signal_init(loop.raw, watch.raw()))
        let status = uv_signal_start(watch.raw(), signalDidCome, signal.number)
        guard status >= 0 else {
            watch.close()
            throw .system("cannot watch for signal \(signal.number): \(describe(status))")
        }
        unblock(signal.number)
    }

    /// Unblocks the signal in this thread: the process may have been started with signals blocked.
    private static func unblock(_ number: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    fileprivate func fire() {
        action?()
    }

    override func didClose() {
        action = nil
    }
}

private func signalDidCome(_ raw: UnsafeMutablePointer<uv_signal_t>?, _ number: Int32) {
    Handle.of(raw?.pointee.data, as: UVSignal.self)?.fire()
}
