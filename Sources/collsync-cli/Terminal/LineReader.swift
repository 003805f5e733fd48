import Glibc
import SyncIO
import SyncLoop

/// Lines, as they come.
protocol LineInput: Sendable {
    /// The next lines, at least one; `nil` at the end, and after ``finish()``.
    func next() async -> [LineReader.Line]?
    /// Ends the reading, also a pending ``next()``.
    func finish()
}

/// Reads lines from a descriptor, as many at a time as one read returns. A thread of its own reads,
/// and only when ``next()`` is called: so a slow consumer slows the sender down.
///
/// A program calls ``finish()`` before it ends.
final class LineReader: LineInput {
    enum Line: Sendable, Equatable {
        case text([UInt8])
        /// The line was longer than the limit, and was skipped.
        case tooLong
    }

    private let worker: any Worker
    private let source: Confined
    private let input: InputWait
    private let isFinished = Monitor(false)

    /// - Parameter maximumBytes: the longest line, without its end.
    init(descriptor: Int32 = STDIN_FILENO, maximumBytes: Int = 16 << 20) throws(IOError) {
        input = try InputWait()
        worker = try LoopPlatform().startWorker(named: "collsync-input")
        source = Confined(
            LineSource(descriptor: descriptor, maximumBytes: maximumBytes, input: input))
    }

    deinit {
        input.stop()
    }

    /// The next lines, at least one; `nil` at the end, and after ``finish()``.
    func next() async -> [Line]? {
        await withCheckedContinuation { waiter in
            let isAsked = isFinished.withLock { isFinished in
                if !isFinished {
                    worker.submit { [source] in waiter.resume(returning: source.value.read()) }
                }
                return !isFinished
            }
            if !isAsked { waiter.resume(returning: nil) }
        }
    }

    /// Ends the reading, also a pending ``next()``, and waits until its thread has ended.
    func finish() {
        isFinished.withLock { $0 = true }
        input.stop()
        worker.finish()
    }

    private struct Confined: @unchecked Sendable {
        // Sendable: it is used on the worker's thread only.
        let value: LineSource

        init(_ value: LineSource) { self.value = value }
    }
}

/// Splits the bytes of a descriptor into lines.
private final class LineSource {
    private let descriptor: Int32
    private let maximumBytes: Int
    private let input: InputWait
    private var partial: [UInt8] = []
    /// The current line is already too long; its rest is dropped.
    private var isSkipping = false
    private var isAtEnd = false
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(descriptor: Int32, maximumBytes: Int, input: InputWait) {
        self.descriptor = descriptor
        self.maximumBytes = maximumBytes
        self.input = input
    }

    func read() -> [LineReader.Line]? {
        var lines: [LineReader.Line] = []
        while lines.isEmpty, !isAtEnd {
            if case .stopped = input.wait(for: descriptor) { return nil }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                take(buffer[..<count], into: &lines)
            } else if count == 0 || errno != EINTR {
                isAtEnd = true
                if isSkipping || !partial.isEmpty { endLine(&lines) }
            }
        }
        return lines.isEmpty ? nil : lines
    }

    private func take(_ bytes: ArraySlice<UInt8>, into lines: inout [LineReader.Line]) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            add(rest[..<end])
            endLine(&lines)
            rest = rest[(end + 1)...]
        }
        add(rest)
    }

    private func add(_ bytes: ArraySlice<UInt8>) {
        guard !isSkipping else { return }
        if partial.count + bytes.count > maximumBytes {
            isSkipping = true
            partial = []
        } else {
            partial += bytes
        }
    }

    private func endLine(_ lines: inout [LineReader.Line]) {
        lines.append(isSkipping ? .tooLong : .text(partial))
        isSkipping = false
        partial = []
    }
}
