import Glibc
import SyncIO
import SyncServer
import Synchronization

/// Writes a log to standard error from a thread of its own, so logging never waits.
///
/// It owns the lines that wait. If standard error is a pipe that nobody reads, lines are dropped
/// and counted, and the count is written as soon as something is read. Messages that come too often
/// are left out, see ``LogRates``.
final class LogWriter: Sendable {
    private struct State {
        var backlog = LogBacklog()
        var rates = LogRates()
        /// How many lines were ever left out.
        var leftOutCount = 0
        /// Whether the thread is writing, so that it also writes lines that are added.
        var isWriting = false
    }

    private let state = Monitor(State())
    private let worker: any Worker
    /// When to give up, on the system's steady clock; 0 is never.
    private let deadline = Atomic<UInt64>(0)
    /// Makes the line that says how many lines are missing.
    private let lossLine: @Sendable (Int) -> String

    /// How long the end of the program waits for the last lines to be taken.
    private static let lastWaitMilliseconds: UInt64 = 1000

    init(
        on platform: some Platform, lossLine: @escaping @Sendable (Int) -> String
    ) throws(IOError) {
        worker = try platform.startWorker(named: "log")
        self.lossLine = lossLine
    }

    /// Whether a line with a message may be logged now.
    ///
    /// - Returns: how many lines like it were left out since the last one that was logged; `nil` if
    ///   this one is left out, too.
    func admit(_ message: String) -> Int? {
        state.withLock { state in
            let taken = state.rates.take(message, at: DescriptorWriter.nowMilliseconds)
            if taken == nil { state.leftOutCount += 1 }
            return taken
        }
    }

    /// Returns how many lines of each message were left out and not reported yet, and resets these
    /// counts.
    func takeLeftOut() -> [(message: String, count: Int)] {
        state.withLock { $0.rates.takeLeftOut() }
    }

    /// How many lines were dropped or left out so far.
    var droppedLines: Int { state.withLock { $0.backlog.totalDropped + $0.leftOutCount } }

    func add(_ line: String) {
        let mustStart = state.withLock { state in
            state.backlog.add(line)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { worker.submit { [self] in writeAll() } }
    }

    /// Waits a moment until all lines are written.
    func finish() {
        deadline.store(
            DescriptorWriter.nowMilliseconds + LogWriter.lastWaitMilliseconds, ordering: .relaxed)
        worker.finish()
    }

    private func writeAll() {
        while true {
            let taken = state.withLock { state -> (bytes: [UInt8], dropped: Int)? in
                if state.backlog.isEmpty {
                    state.isWriting = false
                    return nil
                }
                return state.backlog.takeAll()
            }
            guard let taken else { return }
            write(taken.bytes)
            if taken.dropped > 0 { write(Array((lossLine(taken.dropped) + "\n").utf8)) }
        }
    }

    private func write(_ bytes: [UInt8]) {
        DescriptorWriter.write(bytes, to: STDERR_FILENO) { [self] in
            let deadline = deadline.load(ordering: .relaxed)
            return deadline == 0 ? nil : deadline
        }
    }
}

/// Writes to a descriptor without blocking for ever, even if it is a pipe that nobody reads.
enum DescriptorWriter {
    /// A pipe that is ready accepts so many bytes without blocking.
    private static let pieceBytes = 4096
    private static let pollMilliseconds: Int32 = 50

    static var nowMilliseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// - Parameter deadline: when to give up; `nil` for never. It is called repeatedly.
    static func write(_ bytes: [UInt8], to descriptor: Int32, until deadline: () -> UInt64?) {
        var rest = bytes[...]
        while !rest.isEmpty {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&request, 1, pollMilliseconds) > 0 else {
                if let deadline = deadline(), nowMilliseconds >= deadline { return }
                continue
            }
            let count = rest.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, min($0.count, pieceBytes))
            }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // A line that can't be written is no reason to stop serving.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
