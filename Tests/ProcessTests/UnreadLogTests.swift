import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// Standard error that nobody reads: the server goes on, and reports the lost lines later.
    @Suite struct UnreadLogTests {
        @Test func serverGoesOn() throws {
            let folder = try TemporaryFolder()
            let errors = try UnreadPipe(at: folder.path("errors"))
            let process = try ChildProcess(
                URL(filePath: "/bin/sh"),
                [
                    "-c", #"exec "$0" "$@" 2>"$ERRORS""#, Program.server.path, "serve", "--listen",
                    "127.0.0.1:0", "--memory", "--log-level", "debug",
                ], environment: ["ERRORS": errors.path])
            let line = try process.output.next() ?? ""
            let match = try #require(line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/))
            let port = try #require(UInt16(match.1))
            // Some three lines each, which is far more than a pipe and the backlog hold.
            for _ in 0..<2500 { try garble(port) }
            let client = try JoinProcess("a", room: "room1", at: "127.0.0.1:\(port)")
            try client.submit([["insert": ["item": ["id": "milk"], "to": ["section": "main"]]]])
            try client.readUntilAnswered()
            #expect(try client.finish() == .exit(0))
            // Once somebody reads, the gap is reported, and the log goes on.
            #expect(try errors.readLines { $0.contains("lines of the log were lost") })
            try garble(port)
            #expect(try errors.readLines { $0.contains("a connection is open") })
            // The unread last lines do not keep the server from ending.
            for _ in 0..<800 { try garble(port) }
            process.send(signal: SIGTERM)
            #expect(try process.wait() == .exit(0))
        }

        /// Many clients that cause the same line do not fill the disk of the log.
        @Test func whatIsSaidAgainAndAgainIsLeftOut() throws {
            let process = try ChildProcess(
                Program.server, ["serve", "--listen", "127.0.0.1:0", "--memory"])
            let line = try process.output.next() ?? ""
            let match = try #require(line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/))
            let port = try #require(UInt16(match.1))
            for _ in 0..<400 { try garble(port) }
            process.send(signal: SIGTERM)
            #expect(try process.wait() == .exit(0))
            let lines = try process.errors.all().filter { $0.contains("closing a connection") }
            let leftOut = lines.compactMap {
                $0.firstMatch(of: /leftOut="([0-9]+)"/).flatMap { Int($0.1) }
            }
            #expect(lines.count < 200)
            #expect(leftOut.reduce(0, +) > 200)
        }

        private func garble(_ port: UInt16) throws {
            let socket = try RawSocket(port: port)
            try socket.send([0x00])
            _ = try socket.receive()
        }
    }
}

/// A named pipe that is open for reading and not read.
private final class UnreadPipe {
    let path: String
    private let descriptor: Int32
    private var rest: [UInt8] = []

    init(at path: String) throws {
        self.path = path
        guard mkfifo(path, 0o600) == 0 else { throw TestFailure("no pipe: error \(errno)") }
        // Open for reading and writing, so that neither end waits for the other.
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw TestFailure("no pipe: error \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    /// Reads lines until one matches; `false` if none comes in time.
    func readLines(until fits: (String) -> Bool) throws -> Bool {
        let deadline = Date(timeIntervalSinceNow: Deadline.usual)
        while Date() < deadline {
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeSubrange(...end)
                if fits(line) { return true }
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 { rest += buffer[..<count] } else { usleep(10_000) }
        }
        return false
    }
}
