import Foundation
import Glibc

/// A `collsync serve` with a store of its own, which can be killed and started again on the same port
/// and store.
final class ServerProcess {
    let folder: TemporaryFolder
    private(set) var port: UInt16
    private let options: [String]
    private var process: ChildProcess

    /// Starts a server and waits until it says that it is ready.
    init(_ options: [String] = []) throws {
        folder = try TemporaryFolder()
        self.options = options
        (process, port) = try ServerProcess.start(port: 0, data: folder.path("data"), options)
    }

    var address: String { "127.0.0.1:\(port)" }
    var data: String { folder.path("data") }
    var transcript: String { process.transcript }

    /// Ends the server with no warning, as a power cut would the process.
    func kill() throws {
        process.send(signal: SIGKILL)
        let ending = try process.wait()
        guard ending == .signal(SIGKILL) else {
            throw TestFailure("the server had ended by itself, \(ending): \(transcript)")
        }
    }

    /// Asks the server to end, and gives how it did.
    func terminate(with signal: Int32 = SIGTERM) throws -> ProcessLife.Ending {
        process.send(signal: signal)
        return try process.wait()
    }

    /// Starts the server again, where it was.
    func restart() throws {
        (process, port) = try ServerProcess.start(port: port, data: data, options)
    }

    private static func start(
        port: UInt16, data: String, _ options: [String]
    ) throws -> (ChildProcess, UInt16) {
        let arguments = ["serve", "--listen", "127.0.0.1:\(port)", "--data", data] + options
        let process = try ChildProcess(Program.server, arguments)
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
