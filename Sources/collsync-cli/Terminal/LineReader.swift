import Glibc
import SyncIO
import SyncLoop

/// Lines from a descriptor, as many at once as one read gives. The reading blocks a thread of its own,
/// and only while someone waits for lines: who does not ask for more is not sent more.
final class LineReader: Sendable {
    enum Line: Sendable, Equatable {
        case text([UInt8])
        /// The line was longer than the limit; it has been passed over.
        case tooLong
    }

    private let worker: any Worker
    private let source: Confined

    /// - Parameter maximumBytes: of a line, without its end.
    init(descriptor: Int32 = STDIN_FILENO, maximumBytes: Int = 16 << 20) throws(IOError) {
        signal(SIGPIPE, SIG_IGN)
        worker = try LoopPlatform().startWorker(named: "collsync-input")
        source = Confined(LineSource(descriptor: descriptor, maximumBytes: maximumBytes))
    }

    /// The next lines, at least one; `nil` at the end.
    func next() async -> [Line]? {
        await withCheckedContinuation { waiter in
            worker.submit { [source] in waiter.resume(returning: source.value.read()) }
        }
    }

    private struct Confined: @unchecked Sendable {
        // Sendable: it is used on the worker's thread only.
        let value: LineSource

        init(_ value: LineSource) { self.value = value }
    }
}

/// Cuts what a descriptor gives into lines.
private final class LineSource {
    private let descriptor: Int32
    private let maximumBytes: Int
    private var partial: [UInt8] = []
    /// The line under way is too long already; its rest is dropped.
    private var isSkipping = false
    private var isAtEnd = false
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(descriptor: Int32, maximumBytes: Int) {
        self.descriptor = descriptor
        self.maximumBytes = maximumBytes
    }

    func read() -> [LineReader.Line]? {
        var lines: [LineReader.Line] = []
        while lines.isEmpty, !isAtEnd {
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
