import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// A server that listens on a socket of its service manager.
    @Suite struct SocketActivationTests {
        @Test(arguments: [[], ["--threads", "3"]])
        func connectionsWaitWhileNoServerRuns(options: [String]) throws {
            let socket = try ActivatedSocket()
            // The address is ignored, and would be refused.
            let server = try ServerProcess(
                options + ["--listen", "0.0.0.0:1"], socket: socket)
            #expect(server.port == socket.port)
            for _ in 0..<3 {
                #expect(try server.terminate() == .exit(0), "\(server.transcript)")
                let waiting = try RawSocket(port: socket.port)
                try waiting.send([0x00])
                let command = try ChildProcess(
                    Program.client, ["--server", server.address, "rooms"])
                #expect(!waiting.hasInput(within: 100))
                try server.restart()
                #expect(try !waiting.receive().isEmpty, "no answer to a wrong frame")
                #expect(try command.wait() == .exit(0), "\(command.transcript)")
            }
            #expect(try server.terminate() == .exit(0))
        }

        /// The variables are for a parent of the server.
        @Test func socketsOfAnotherProcessAreLeftAlone() throws {
            let socket = try ActivatedSocket()
            let process = try ActivatedSocket.start(
                ["serve", "--memory", "--listen", "127.0.0.1:0"], with: [socket],
                environment: ["LISTEN_PID": "\(getpid())"])
            let line = try process.output.next() ?? ""
            #expect(line.contains(/127\.0\.0\.1:[0-9]+/) && !line.hasSuffix(":\(socket.port)"))
        }

        @Test(arguments: [
            (ActivatedSocket.Kind.datagrams, "descriptor 3 is no port to listen on: it is no TCP"),
            (.notListening, "descriptor 3 is no port to listen on: the socket does not listen"),
            (.local, "descriptor 3 is no port to listen on: it is no TCP"),
            (.pipe, "descriptor 3 is no port to listen on: "),
        ])
        func otherDescriptorsAreRefused(kind: ActivatedSocket.Kind, reason: String) throws {
            try expectRefusal([ActivatedSocket(kind)], reason: reason)
        }

        @Test(arguments: [
            (["LISTEN_PID": "me"], "LISTEN_PID is 'me'"),
            (["LISTEN_FDS": "-1"], "LISTEN_FDS is '-1'"),
            (["LISTEN_FDS": "5000000000"], "LISTEN_FDS is '5000000000'"),
            (["LISTEN_FDS": "200"], "descriptor 4 is no port to listen on: "),
            (["LISTEN_FDNAMES": "a:b"], "LISTEN_FDNAMES has not as many names"),
            (["LISTEN_FDNAMES": "web"], "with the name 'web'"),
        ])
        func wrongVariablesAreRefused(wrong: [String: String], reason: String) throws {
            try expectRefusal([ActivatedSocket()], wrong, reason: reason)
        }

        @Test(arguments: [":", "collsync:", "collsync-http:collsync-http"])
        func twoSocketsForTheSameAreRefused(names: String) throws {
            try expectRefusal(
                [ActivatedSocket(), ActivatedSocket()], ["LISTEN_FDNAMES": names],
                reason: "has opened two sockets for 'collsync")
        }

        @Test func aSocketForHTTPThatIsForbiddenIsRefused() throws {
            try expectRefusal(
                [ActivatedSocket()], ["LISTEN_FDNAMES": "collsync-http"], ["--no-http"],
                reason: "--no-http forbids it")
        }

        /// Requests wait while no server runs, as clients of the protocol do.
        @Test func eachPortCanBeASocket() throws {
            let sockets = try (0..<3).map { _ in try ActivatedSocket() }
            let names = ["LISTEN_FDNAMES": "collsync-metrics:collsync-http:collsync"]
            let requests = try zip(sockets, ["metrics", "v1/rooms"]).map { socket, path in
                try ChildProcess(
                    URL(filePath: "/usr/bin/env"),
                    ["curl", "-sS", "-m", "20", "http://127.0.0.1:\(socket.port)/\(path)"])
            }
            // The addresses are ignored, and would be refused.
            let process = try ActivatedSocket.start(
                [
                    "serve", "--memory", "--listen", "0.0.0.0:1", "--http", "0.0.0.0:1",
                    "--metrics", "127.0.0.1:1",
                ], with: sockets, environment: names)
            for (line, port) in zip(
                ["listening on ", "HTTP is on http://", "Metrics are on http://"],
                sockets.reversed().map(\.port))
            {
                let text = try process.output.next() ?? ""
                #expect(text.contains(line) && text.contains(":\(port)"), "\(process.transcript)")
            }
            for (request, text) in zip(requests, ["collsync_", #"{"rooms":[]}"#]) {
                #expect(try request.wait() == .exit(0), "\(request.transcript)")
                #expect(try request.output.all().joined().contains(text))
            }
            process.send(signal: SIGTERM)
            #expect(try process.wait() == .exit(0))
        }

        /// Others can reach it, so the same decision is needed as for `--listen`.
        @Test(arguments: ["collsync", "collsync-http"])
        func aPublicSocketNeedsADecision(name: String) throws {
            let socket = try ActivatedSocket(host: 0)
            let process = try ActivatedSocket.start(
                ["serve", "--memory", "--listen", "127.0.0.1:0"], with: [socket],
                environment: ["LISTEN_FDNAMES": name])
            #expect(try process.output.next() == nil)
            #expect(try process.wait() == .exit(64))
            #expect(try process.errors.all().joined().contains("--auth none"))
        }

        private func expectRefusal(
            _ sockets: [ActivatedSocket], _ environment: [String: String] = [:],
            _ options: [String] = [], reason: String,
            location: SourceLocation = #_sourceLocation
        ) throws {
            let process = try ActivatedSocket.start(
                ["serve", "--memory", "--listen", "127.0.0.1:0"] + options, with: sockets,
                environment: environment)
            #expect(
                try process.wait() == .exit(78), "\(process.transcript)",
                sourceLocation: location)
            let lines = try process.errors.all()
            #expect(
                lines.count == 1 && lines[0].contains(reason), "\(lines)", sourceLocation: location)
        }
    }
}
