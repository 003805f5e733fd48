import Foundation
import Testing

extension ProcessTests {
    /// Clients that take a port for another one. Each side says what it met, and what to use.
    @Suite struct WrongPortTests {
        private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        /// The beginning of a client's hello.
        private static let tls: [UInt8] = [0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]

        /// All that a port sends to who has sent this.
        private func answer(of port: UInt16, to bytes: [UInt8]) throws -> [UInt8] {
            let socket = try RawSocket(port: port)
            try socket.send(bytes)
            var answer: [UInt8] = []
            while case let part = try socket.receive(), !part.isEmpty { answer += part }
            return answer
        }

        private func text(of port: UInt16, to request: String = request) throws -> String {
            String(decoding: try answer(of: port, to: Array(request.utf8)), as: UTF8.self)
        }

        @Test func plainPorts() throws {
            let server = try ServerProcess(speaksHTTP: true)
            let http = try #require(server.httpPort)
            let failed = try CommandResult.client(
                ["rooms", "--server", "127.0.0.1:\(http)"], at: server)
            #expect(failed.ending == .exit(69))
            #expect(
                failed.errors.last?.contains(
                    "speaks HTTP there, and no frames; write ws://127.0.0.1:\(http)") == true,
                "\(failed)")
            try server.logLine(with: "it speaks collsync's frames, and this port HTTP")
            let answer = try text(of: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(answer)")
            #expect(answer.hasSuffix("7421 if nothing else is said.\n"), "\(answer)")
            try server.logLine(with: "it speaks HTTP, and this port collsync's frames")
            for (port, name) in [(server.port, "collsync's frames"), (http, "HTTP")] {
                // What comes back is no TLS, so the client says so.
                let answer = try self.answer(of: port, to: Self.tls)
                #expect(answer.count > 20 && answer[1] != 3, "\(answer)")
                try server.logLine(with: "it speaks TLS, and this port \(name)")
            }
        }

        @Test func securedPorts() throws {
            let server = try SecuredServer(speaksHTTP: true)
            let http = try #require(server.process.httpPort)
            for port in [server.port, http] {
                let answer = try text(of: port)
                #expect(answer.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"), "\(answer)")
                #expect(answer.contains("takes only connections by TLS"), "\(answer)")
            }
            let failed = try CommandResult.client(
                ["rooms", "--server", "127.0.0.1:\(http)"] + server.options(),
                at: server.process)
            #expect(failed.ending == .exit(69))
            #expect(failed.errors.last?.contains("has a URL, wss://") == true, "\(failed)")
        }
    }
}
