import Foundation

/// A server to measure: a process of its own, on a core of its own if there are two.
///
/// It prints a line with its address when it is ready.
final class MeasuredProcess {
    let port: UInt16
    private let process = Process()
    private let output = Pipe()

    /// Starts a program that prints the port on which it listens in its first line of output.
    init(_ program: URL, _ arguments: [String], on cores: Cores) throws {
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        try MeasuredProcess.start(process, cores)
        var text = ""
        while !text.contains("\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw BenchError("\(program.lastPathComponent) does not start") }
            text += String(decoding: data, as: UTF8.self)
        }
        guard let match = text.firstMatch(of: /127\.0\.0\.1:([0-9]+)/),
            let port = UInt16(match.1)
        else { throw BenchError("\(program.lastPathComponent) says '\(text)'") }
        self.port = port
    }

    /// Starts a program, found like in a shell, and waits until it listens on a port.
    init(_ command: [String], onPort port: UInt16, _ cores: Cores) throws {
        self.port = port
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try MeasuredProcess.start(process, cores)
        for _ in 0..<MeasuredProcess.attempts {
            if (try? Socket(port: port)) != nil { return }
            usleep(MeasuredProcess.attemptMicroseconds)
        }
        throw BenchError("\(command.joined(separator: " ").prefix(60)) does not start")
    }

    /// A free port. It is none of those that the system gives to whoever names no port, as another
    /// program could get it before the server does.
    static func freePort() throws -> UInt16 {
        for _ in 0..<attempts {
            let port = UInt16.random(in: 20_000..<32_000)
            if isFree(port) { return port }
        }
        throw BenchError("there is no free port")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0
            }
        }
    }

    private static let attempts = 100
    private static let attemptMicroseconds: useconds_t = 50_000

    /// Starts it with no signal blocked, in spite of this thread's signal mask.
    private static func start(_ process: Process, _ cores: Cores) throws {
        var none = sigset_t()
        var former = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try cores.forServer { try process.run() }
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        // Foundation's wait needs a file descriptor, and an attack may have used all.
        while process.isRunning { usleep(1000) }
    }

    /// Ends it in order, and waits for that.
    func end() throws {
        process.terminate()
        process.waitUntilExit()
    }

    /// The processor time of all its threads, in seconds.
    var processorSeconds: Double {
        // The name may have any characters. After it come the state and numbers, of which the 12th
        // and 13th are ticks in user and in system mode.
        let fields = file("stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12])
        else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The result of some work, and how much of a core the server and this program used for it.
    struct Watched<Outcome> {
        var outcome: Outcome
        var seconds: Double
        var serverShare: Double
        var generatorShare: Double
    }

    /// Does some work, and measures both programs meanwhile. Then it waits until the server is at
    /// rest: what its workers do afterwards would slow down another server on the same core, which
    /// is measured next.
    func watched<Outcome>(_ body: () throws -> Outcome) throws -> Watched<Outcome> {
        let (before, ownBefore) = (processorSeconds, ownProcessorSeconds())
        let watch = Stopwatch()
        let outcome = try body()
        let seconds = watch.seconds
        let watched = Watched(
            outcome: outcome, seconds: seconds,
            serverShare: (processorSeconds - before) / seconds,
            generatorShare: (ownProcessorSeconds() - ownBefore) / seconds)
        comeToRest()
        return watched
    }

    private func comeToRest() {
        for _ in 0..<MeasuredProcess.attempts {
            let before = processorSeconds
            usleep(2 * MeasuredProcess.attemptMicroseconds)
            if processorSeconds - before <= MeasuredProcess.secondsAtRest { return }
        }
    }

    /// What a server at rest uses in two attempts: less than two ticks of the system's clock.
    private static let secondsAtRest = 0.015

    /// The processor time of the threads that have certain names, in nanoseconds.
    func threadNanoseconds(_ isNamed: (String) -> Bool) -> Double {
        let tasks = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(0) { sum, thread in
            guard isNamed(file("task/\(thread)/comm")) else { return sum }
            let fields = file("task/\(thread)/schedstat").split(separator: " ")
            return sum + (fields.first.flatMap { Double($0) } ?? 0)
        }
    }

    /// Its resident memory.
    var residentBytes: Int {
        let fields = file("statm").split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(getpagesize())
    }

    /// Its resident memory that belongs to no file.
    var privateBytes: Int { statusBytes("RssAnon:") }

    /// Restarts the measurement of ``peakResidentBytes``.
    func forgetPeak() {
        let path = "/proc/\(process.processIdentifier)/clear_refs"
        try? "5".write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// Its greatest resident memory since ``forgetPeak()``.
    var peakResidentBytes: Int { statusBytes("VmHWM:") }

    private func statusBytes(_ name: String) -> Int {
        let line = file("status").split(separator: "\n").first { $0.hasPrefix(name) }
        let fields = line?.split(whereSeparator: \.isWhitespace) ?? []
        guard fields.count > 1, let kilobytes = Int(fields[1]) else { return 0 }
        return kilobytes << 10
    }

    private func file(_ name: String) -> String {
        let path = "/proc/\(process.processIdentifier)/\(name)"
        return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
