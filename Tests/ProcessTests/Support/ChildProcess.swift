import Foundation
import Glibc

/// A program that a test started: its input, its lines and its end, each with a deadline.
///
/// ``end()`` ends it by its own id, at the latest when this object is released. Two threads read
/// its output and errors, and one waits for its end.
final class ChildProcess {
    let name: String
    let output: LineQueue
    let errors: LineQueue
    let identifier: pid_t
    private let life: ProcessLife
    private var input: Int32?

    /// - Parameters:
    ///   - environment: variables to add to those of the test.
    ///   - inherited: descriptors that the program has from 3 on.
    init(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:],
        inheriting inherited: [Int32] = []
    ) throws {
        name = ([program.lastPathComponent] + arguments).joined(separator: " ")
        let input = try DescriptorPair()
        let output = try DescriptorPair()
        let errors = try DescriptorPair()
        identifier = try ChildProcess.spawn(
            program.path, arguments, environment,
            descriptors: [input.reading, output.writing, errors.writing], inherited)
        for descriptor in [input.reading, output.writing, errors.writing] { close(descriptor) }
        self.input = input.writing
        self.output = LineQueue(reading: output.reading)
        self.errors = LineQueue(reading: errors.reading)
        life = ProcessLife(of: identifier)
    }

    deinit {
        end()
    }

    /// The last lines that it printed, for messages.
    var transcript: String {
        "\(name)\n-- output, last lines\n\(output.tail)\n-- errors, last lines\n\(errors.tail)"
    }

    func write(_ text: String) throws {
        guard let input else { throw TestFailure("the input is closed: \(transcript)") }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TestFailure("writing failed, \(errno): \(transcript)") }
            bytes = bytes.dropFirst(count)
        }
    }

    func closeInput() {
        if let input { close(input) }
        input = nil
    }

    func send(signal: Int32) {
        life.send(signal: signal)
    }

    /// Waits for the end, and for all output before it.
    func wait(within seconds: Double = Deadline.usual) throws -> ProcessLife.Ending {
        guard let ending = life.wait(until: Date(timeIntervalSinceNow: seconds)) else {
            throw TestFailure("did not end in time: \(transcript)")
        }
        try output.waitForEnd()
        try errors.waitForEnd()
        return ending
    }

    /// Kills the program if it runs, and waits until it has ended.
    func end() {
        closeInput()
        send(signal: SIGKILL)
        _ = life.wait(until: Date(timeIntervalSinceNow: Deadline.usual))
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String],
        descriptors: [Int32], _ inherited: [Int32]
    ) throws -> pid_t {
        // In the test a closed pipe is an error; the programs start with the default action of the
        // signal.
        signal(SIGPIPE, SIG_IGN)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Copies with high numbers, so that no copy to a low one replaces a descriptor to come.
        let copies = inherited.map { fcntl($0, F_DUPFD_CLOEXEC, 500) }
        defer { for copy in copies { close(copy) } }
        for (standard, descriptor) in (descriptors + copies).enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(standard))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var identifier: pid_t = 0
        let result = withCStrings([path] + arguments) { words in
            withCStrings(all.map { "\($0)=\($1)" }) { settings in
                posix_spawn(&identifier, path, &actions, &attributes, words, settings)
            }
        }
        guard result == 0 else { throw TestFailure("could not start \(path): error \(result)") }
        return identifier
    }

    /// Calls `body` with texts as a C array.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

/// Whether a process still runs, and how it ended. No signal is sent once its id may belong to
/// another process.
final class ProcessLife: @unchecked Sendable {
    /// How a process ended.
    enum Ending: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    private let identifier: pid_t
    private let condition = NSCondition()
    private var ending: Ending?

    init(of identifier: pid_t) {
        self.identifier = identifier
        Thread.detachNewThread { self.waitAndReap() }
    }

    func send(signal: Int32) {
        condition.lock()
        defer { condition.unlock() }
        if ending == nil { kill(identifier, signal) }
    }

    /// How the process ended; `nil` if it still runs at the deadline.
    func wait(until deadline: Date) -> Ending? {
        condition.lock()
        defer { condition.unlock() }
        while ending == nil, condition.wait(until: deadline) {}
        return ending
    }

    private func waitAndReap() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR
        {}
        condition.lock()
        defer { condition.unlock() }
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
        let signal = status & 0x7F
        ending = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
        condition.broadcast()
    }
}

/// The two ends of a pipe, which no other program inherits.
private struct DescriptorPair {
    let reading: Int32
    let writing: Int32

    init() throws {
        var descriptors: [Int32] = [0, 0]
        guard pipe(&descriptors) == 0 else {
            throw TestFailure("could not make a pipe: error \(errno)")
        }
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (descriptors[0], descriptors[1])
    }
}
