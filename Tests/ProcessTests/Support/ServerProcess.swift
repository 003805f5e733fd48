import Foundation
import Glibc

/// A `collsync serve` with a store of its own. It can be killed and restarted on the same port and
/// store.
final class ServerProcess {
    let folder: TemporaryFolder
    /// The folder of its store.
    let data: String
    private(set) var port: UInt16
    private let options: [String]
    private let environment: [String: String]
    private let socket: ActivatedSocket?
    private var process: ChildProcess
    /// The port for HTTP and WebSockets, if the server has one for the test.
    private(set) var httpPort: UInt16?

    /// Starts a server and waits until it reports that it is ready.
    ///
    /// - Parameters:
    ///   - data: the folder of its store, if it is not one of its own.
    ///   - socket: a socket that it inherits and listens on.
    ///   - speaksHTTP: whether the test uses HTTP, on a port that stays the same.
    init(
        _ options: [String] = [], data: String? = nil, environment: [String: String] = [:],
        socket: ActivatedSocket? = nil, speaksHTTP: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        self.data = data ?? folder.path("data")
        self.options = options
        self.environment = environment
        self.socket = socket
        let http = speaksHTTP ? ["--http", "127.0.0.1:0"] : []
        (process, port) = try ServerProcess.start(
            port: 0, self.data, http + options, environment, socket)
        if speaksHTTP { httpPort = try port(after: "HTTP is on ") }
    }

    var address: String { "127.0.0.1:\(port)" }
    var transcript: String { process.transcript }

    /// How much memory the server uses.
    var residentBytes: Int { get throws { try memory("VmRSS") } }

    /// How much memory the server uses without its code, which lies in files.
    var anonymousBytes: Int { get throws { try memory("RssAnon") } }

    /// The most memory that the server has used.
    var peakResidentBytes: Int { get throws { try memory("VmHWM") } }

    private func memory(_ name: String) throws -> Int {
        let status = try String(
            contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
        for line in status.split(separator: "\n") where line.hasPrefix("\(name):") {
            if let match = line.firstMatch(of: /([0-9]+) kB/), let kibibytes = Int(match.1) {
                return kibibytes << 10
            }
        }
        throw TestFailure("the system does not say what memory the server has")
    }

    /// Kills the server without a warning, as a power cut does.
    func kill() throws {
        process.send(signal: SIGKILL)
        let ending = try process.wait()
        guard ending == .signal(SIGKILL) else {
            throw TestFailure("the server had ended by itself, \(ending): \(transcript)")
        }
    }

    func send(signal: Int32) {
        process.send(signal: signal)
    }

    /// Waits for a line of the log with this text, and returns it. Lines before it are skipped.
    @discardableResult
    func logLine(with text: String) throws -> String {
        while let line = try process.errors.next() {
            if line.contains(text) { return line }
        }
        throw TestFailure("the server ended without '\(text)': \(transcript)")
    }

    /// Waits for a printed line that begins so, and returns the port in it.
    func port(after start: String) throws -> UInt16 {
        while let line = try process.output.next() {
            guard line.hasPrefix(start) else { continue }
            if let match = line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/),
                let port = UInt16(match.1)
            {
                return port
            }
        }
        throw TestFailure("the server did not print '\(start)': \(transcript)")
    }

    /// Asks the server to end, and returns how it ended.
    func terminate(with signal: Int32 = SIGTERM) throws -> ProcessLife.Ending {
        process.send(signal: signal)
        return try process.wait()
    }

    /// Starts the server again on its port and store.
    func restart() throws {
        let http = httpPort.map { ["--http", "127.0.0.1:\($0)"] } ?? []
        (process, port) = try ServerProcess.start(
            port: port, data, http + options, environment, socket)
    }

    private static func start(
        port: UInt16, _ data: String, _ options: [String], _ environment: [String: String],
        _ socket: ActivatedSocket?
    ) throws -> (ChildProcess, UInt16) {
        let folder = options.contains("--memory") ? [] : ["--data", data]
        let process: ChildProcess
        if let socket {
            let names = environment.merging(["LISTEN_FDNAMES": "collsync"]) { $1 }
            process = try ActivatedSocket.start(
                ["serve"] + folder + options, with: [socket], environment: names)
        } else {
            let arguments = ["serve", "--listen", "127.0.0.1:\(port)"] + folder + options
            process = try ChildProcess(Program.server, arguments, environment: environment)
        }
        while let line = try process.output.next() {
            if let match = line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/),
                let port = UInt16(match.1)
            {
                return (process, port)
            }
        }
        throw TestFailure("the server did not start: \(process.transcript)")
    }
}
