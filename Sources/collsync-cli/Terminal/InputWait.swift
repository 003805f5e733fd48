import Glibc
import SyncIO

/// Waits until a descriptor is readable, or another thread ends the wait. A thread that blocks in
/// `read` could not be joined.
final class InputWait: Sendable {
    enum Outcome {
        case readable
        case timedOut
        case stopped
    }

    private let stopReading: Int32
    private let stopWriting: Int32

    init() throws(IOError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw .system("cannot make a pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (stopReading, stopWriting) = (ends[0], ends[1])
    }

    deinit {
        close(stopReading)
        close(stopWriting)
    }

    /// Ends the current wait and all later ones.
    func stop() {
        _ = write(stopWriting, [1], 1)
    }

    /// - Parameter milliseconds: the longest wait; without limit if it is negative.
    func wait(for descriptor: Int32, milliseconds: Int32 = -1) -> Outcome {
        var awaited = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stopReading, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&awaited, 2, milliseconds)
            if count < 0, errno == EINTR { continue }
            if awaited[1].revents != 0 { return .stopped }
            // The next read reports errors of the descriptor.
            return count == 0 ? .timedOut : .readable
        }
    }
}
