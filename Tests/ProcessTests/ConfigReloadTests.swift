import Foundation
import Glibc
import SyncWire
import TLSSupport
import Testing

extension ProcessTests {
    /// A server reads its config file when it starts, and its limits again on SIGHUP.
    @Suite struct ConfigReloadTests {
        private let folder: TemporaryFolder
        private let file: String

        init() throws {
            folder = try TemporaryFolder()
            file = folder.path("config.yaml")
        }

        private func write(_ text: String) throws {
            _ = try folder.write(text, to: "config.yaml")
        }

        /// A connection that the server has welcomed; `nil` if it was refused.
        private func connect(to server: ServerProcess) throws -> WireConnection? {
            let connection = try WireConnection(strangerTo: server.port)
            try connection.send(.hello(Hello(agent: "test")))
            if case .welcome? = try connection.nextOrEnd() { return connection }
            return nil
        }

        @Test func aLimitIsRaisedWithoutARestart() throws {
            try write("max-connections: 1\nthreads: 2\n")
            let server = try ServerProcess(["--config", file])
            let first = try #require(try connect(to: server))
            #expect(try connect(to: server) == nil)

            // A wrong file changes nothing, whatever else is in it.
            for (text, reason) in [
                ("max-connections: 9\nmax-roms: 3\n", "config.yaml:2: there is no flag 'max-roms'"),
                ("max-connections: 9\nmax-rooms: 0\n", "config.yaml:2: --max-rooms is 0"),
                ("max-connections: 9\n\t- x\n", "config.yaml:2: "),
                ("", "config.yaml: it has no names"),
            ] {
                try write(text)
                server.send(signal: SIGHUP)
                let line = try server.logLine(with: "the limits stay as they were")
                #expect(line.contains(reason), "\(line)")
                #expect(try connect(to: server) == nil)
            }

            try write("max-connections: 2\nthreads: 3\nslow: 1s\n")
            server.send(signal: SIGHUP)
            let line = try server.logLine(with: "some options of the config file need a restart")
            #expect(line.contains("\"threads, slow\""), "\(line)")
            try server.logLine(with: "the limits have changed")
            // The loop may accept a connection in the turn before the one with the new limits.
            var second: WireConnection?
            #expect(
                try Deadline.isReached {
                    second = try connect(to: server)
                    return second != nil
                })
            #expect(try connect(to: server) == nil)

            #expect(try server.terminate() == .exit(0))
            withExtendedLifetime((first, second)) {}
            // The command line wins.
            let other = try ServerProcess(["--config", file, "--max-connections", "1"])
            let only = try #require(try connect(to: other))
            other.send(signal: SIGHUP)
            try other.logLine(with: "the limits have changed")
            #expect(try connect(to: other) == nil)
            #expect(try other.terminate() == .exit(0))
            withExtendedLifetime(only) {}
        }

        /// Certificates do not wait for a config that is right.
        @Test func certificatesAreReadAgainThoughTheConfigIsWrong() throws {
            try write("max-rooms: 10\n")
            let server = try SecuredServer(["--config", file])
            try write("max-rooms: no\n")
            let second = try server.authority.issue("second", for: TestAuthority.hosts)
            try server.replace(by: second, logging: "the certificates are read again")
            let line = try server.process.logLine(with: "the limits stay as they were")
            #expect(line.contains("config.yaml:1: The value 'no' is invalid"), "\(line)")
            #expect(try server.process.terminate() == .exit(0))
        }

        @Test(arguments: ["max-roms: 3\n", "max-rooms: -1\n", "{", "memory: true\ndata: x\n"])
        func aWrongFileStartsNoServer(text: String) throws {
            try write(text)
            let result = try CommandResult.server(["serve", "--config", file])
            #expect(result.ending == .exit(78), "\(result)")
            #expect(result.errors.count == 1, "\(result)")
            #expect(result.errors[0].contains("config.yaml:"), "\(result)")
        }
    }
}
