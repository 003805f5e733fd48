import Glibc
import SyncIO

/// Waits for a descriptor to have something to read, until another thread ends the waiting: a
/// thread that blocks in `read` could not be joined.
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

    /// Ends this wait, if there is one, and all that follow.
    func stop() {
        _ = write(stopWriting, [1], 1)
    }

    /// - Parameter milliseconds: how long to wait; below 0 for as long as it takes.
    func wait(for descriptor: Int32, milliseconds: Int32 = -1) -> Outcome {
        var awaited = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stopReading, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&awaited, 2, milliseconds)
            if count < 0, errno == EINTR { continue }
            if awaited[1].revents != 0 { return .stopped }
            // What is wrong with the descriptor is for the reading to find out.
            return count == 0 ? .timedOut : .readable
        }
    }
}
