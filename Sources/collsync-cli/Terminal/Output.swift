import CollSync
import Glibc
import SyncIO
import SyncJSON
import SyncModel
import SyncTerminal

/// Where text for people is written.
protocol TextOutput: Sendable {
    func write(text: TerminalText) throws
}

/// Standard output, or a file, as lines. Each call keeps its lines together, and returns after they
/// are written.
final class Output: TextOutput {
    private let descriptor: Int32
    private let writer = Monitor(JSONWriter())

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) != 0 }

    static var isPipe: Bool {
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Waits until the reader of a pipe has gone.
    static func waitForClose(_ wait: InputWait) -> InputWait.Outcome {
        wait.wait(for: STDOUT_FILENO)
    }

    /// Long texts are written in pieces of about this many bytes.
    private static let pieceBytes = 64 << 10

    init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
    }

    /// Writes lines of JSON.
    func write(_ lines: [ServerLine]) throws {
        try withWriter { writer throws in
            for line in lines {
                if case .snapshot(let room, let snapshot) = line {
                    try write(snapshot, of: room, to: &writer)
                } else {
                    writer.write(line)
                }
                writer.endLine()
                try flush(&writer, atLeast: Output.pieceBytes)
            }
        }
    }

    /// Writes a value as a line of JSON.
    func write(_ value: Value) throws {
        try withWriter { writer in
            writer.write(value)
            writer.endLine()
        }
    }

    /// Writes text for people.
    func write(text: TerminalText) throws {
        var text = text.text
        try text.withUTF8 { try send(UnsafeRawBufferPointer($0)) }
    }

    /// Writes bytes unchanged: a picture, or a screen.
    func write(bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try send($0) }
    }

    /// Lets `body` write JSON, and sends what is left in the writer at the end.
    func withWriter(_ body: (inout JSONWriter) throws -> Void) throws {
        try writer.withLock { writer in
            defer { writer.reset() }
            try body(&writer)
            try flush(&writer, atLeast: 1)
        }
    }

    /// Sends what the writer has, if that is at least `count` bytes.
    func flush(_ writer: inout JSONWriter, atLeast count: Int = Output.pieceBytes) throws {
        guard writer.count >= count else { return }
        try send(writer.bytes)
        writer.reset()
    }

    private func write(_ snapshot: Snapshot, of room: String, to writer: inout JSONWriter) throws {
        writer.beginSnapshot(room: room, revision: snapshot.revision)
        for state in snapshot.sections {
            writer.begin(state.section)
            for item in state.items {
                writer.write(item)
                try flush(&writer)
            }
            writer.endSection()
        }
        writer.endSnapshot()
    }

    private func send(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while let base = rest.baseAddress, rest.count > 0 {
            let count = Glibc.write(descriptor, base, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EPIPE {
                throw OutputClosed()
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                throw Failure("cannot write: \(reason)", exitCode: Failure.outputFailed)
            }
        }
    }
}

/// The reader of the output has gone.
struct OutputClosed: Error {}
