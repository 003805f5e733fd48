import Foundation
import Glibc
import TLSSupport
import Testing

extension ProcessTests {
    /// What `collsync` does besides serving clients, and what it refuses.
    @Suite struct ServeCommandTests {
        @Test func versionAndHelp() throws {
            let version = try CommandResult.server(["--version"])
            #expect(version.ending == .exit(0))
            #expect(version.output.first?.contains(/[0-9]+\.[0-9]+/) == true)
            for words in [["--help"], ["serve", "--help"], ["verify", "--help"]] {
                let help = try CommandResult.server(words)
                #expect(help.ending == .exit(0))
                #expect(help.output.joined().contains("USAGE"))
            }
        }

        @Test(arguments: [
            ["serve", "--no-such-flag"], ["serve", "--listen", "nonsense"], ["no-such-command"],
            ["serve", "--threads", "0"], ["serve", "--horizon", "-1"], ["verify"],
            ["serve", "--horizon-max", "8388609"],
            ["serve", "--history", "30"], ["serve", "--memory"],
        ])
        func wrongUseIsRefused(arguments: [String]) throws {
            let folder = try TemporaryFolder()
            let data = arguments[0] == "serve" ? ["--data", folder.path("data")] : []
            let result = try CommandResult.server(arguments + data)
            #expect(result.ending == .exit(64), "\(result)")
            #expect(!result.errors.isEmpty)
        }

        @Test func dataFolderIsLocked() throws {
            let server = try ServerProcess()
            let second = try CommandResult.server([
                "serve", "--listen", "127.0.0.1:0", "--data", server.data,
            ])
            #expect(second.ending == .exit(75))
            expectOneLine(in: second, naming: server.data)
            let client = try JoinProcess("a", room: "room1", at: server.address)
            #expect(try client.finish() == .exit(0))
            try server.kill()
            try server.restart()
        }

        /// A page whose name leads to this machine is no program of it.
        @Test func otherNamesNeedAnOrigin() throws {
            func status(of host: String, _ options: [String]) throws -> Int {
                let server = try ServerProcess(options, speaksHTTP: true)
                let port = try #require(server.httpPort)
                return try PlainRequest.ask("/v1/rooms", at: port, host: host).status
            }
            #expect(try status(of: "evil.example", []) == 421)
            #expect(try status(of: "localhost", []) == 200)
            let origin = ["--http-origin", "https://app.example"]
            #expect(try status(of: "app.example", origin) == 200)
            #expect(try status(of: "evil.example", origin) == 421)
        }

        @Test func publicAddressNeedsADecision() throws {
            let folder = try TemporaryFolder()
            let refused = try CommandResult.server([
                "serve", "--listen", "0.0.0.0:0", "--data", folder.path("data"),
            ])
            #expect(refused.ending == .exit(64))
            #expect(refused.errors.first?.contains("--auth none") == true, "\(refused)")
            let process = try ChildProcess(
                Program.server,
                [
                    "serve", "--listen", "0.0.0.0:0", "--auth", "none", "--data",
                    folder.path("data"),
                ])
            #expect(try process.output.next()?.contains("0.0.0.0:") == true)
            process.send(signal: SIGTERM)
            #expect(try process.wait() == .exit(0))
            #expect(try warnings(of: process).count == 1, "\(process.transcript)")
        }

        /// Tokens and certificates are such a decision.
        @Test(arguments: ["--auth-key", "--tls-client-ca"])
        func authenticationIsADecision(flag: String) throws {
            let folder = try TemporaryFolder()
            let authority = try TestAuthority()
            let issued = try authority.issue("server", for: TestAuthority.hosts)
            let secured = ["--tls-cert", issued.certificate, "--tls-key", issued.key]
            let isByToken = flag == "--auth-key"
            if isByToken {
                let key = try CommandResult.server(["token", "--new-key", folder.path("main")])
                #expect(key.ending == .exit(0), "\(key)")
            }
            let value = isByToken ? folder.path("main.public.pem") : authority.file
            let process = try ChildProcess(
                Program.server,
                ["serve", "--listen", "0.0.0.0:0", "--memory", flag, value]
                    + (isByToken ? [] : secured))
            #expect(
                try process.output.next()?.contains("0.0.0.0:") == true, "\(process.transcript)")
            process.send(signal: SIGTERM)
            #expect(try process.wait() == .exit(0), "\(process.transcript)")
            #expect(try warnings(of: process) == [])
        }

        @Test func aPublicAddressOfHTTPNeedsOneToo() throws {
            let refused = try CommandResult.server([
                "serve", "--listen", "127.0.0.1:0", "--http", "0.0.0.0:0", "--memory",
            ])
            #expect(refused.ending == .exit(64), "\(refused)")
            #expect(refused.errors.first?.contains("--auth none") == true, "\(refused)")
        }

        @Test func metricsAreOffUnlessAsked() throws {
            for (flags, isOn) in [([], false), (["--metrics", "127.0.0.1:0"], true)] {
                let process = try ChildProcess(
                    Program.server,
                    ["serve", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--memory"]
                        + flags)
                #expect(try process.output.next()?.contains("127.0.0.1:") == true)
                process.send(signal: SIGTERM)
                #expect(try process.wait() == .exit(0), "\(process.transcript)")
                let lines = try process.output.all()
                #expect(lines.contains { $0.hasPrefix("HTTP is on ") }, "\(process.transcript)")
                #expect(lines.contains { $0.hasPrefix("Metrics are on ") } == isOn)
            }
        }

        /// What `--auth none` means is said only where others can reach the server.
        @Test func anAddressOfThisMachineNeedsNoWarning() throws {
            let server = try ChildProcess(
                Program.server,
                ["serve", "--listen", "127.0.0.1:0", "--auth", "none", "--memory"])
            #expect(try server.output.next()?.contains("127.0.0.1:") == true)
            server.send(signal: SIGTERM)
            #expect(try server.wait() == .exit(0))
            #expect(try warnings(of: server) == [])
        }

        /// The lines of the log that say what it means that a server asks for nothing.
        private func warnings(of server: ChildProcess) throws -> [String] {
            try server.errors.all().filter {
                $0.contains(
                    "everyone who can reach this server may read, change and delete every room")
            }
        }

        /// The server prints no message about a name before the name is resolved.
        @Test func aNameIsLookedUpFirst() throws {
            let unknown = try CommandResult.server([
                "serve", "--memory", "--listen", "foo.invalid:1",
            ])
            #expect(unknown.ending == .exit(69), "\(unknown)")
            expectOneLine(in: unknown, naming: "cannot listen on foo.invalid:1: ")
            #expect(!unknown.errors.joined().contains("others"))
        }

        /// The parent of a server may have blocked signals, which a new process inherits.
        @Test(arguments: [("TERM", SIGTERM), ("INT", SIGINT)])
        func endsThoughItBeganWithItsSignalBlocked(name: String, signal: Int32) throws {
            let folder = try TemporaryFolder()
            let process = try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                [
                    "--block-signal=\(name)", Program.server.path, "serve", "--listen",
                    "127.0.0.1:0", "--data", folder.path("data"),
                ])
            #expect(try process.output.next()?.contains("127.0.0.1:") == true)
            process.send(signal: signal)
            #expect(try process.wait() == .exit(0), "\(process.transcript)")
        }

        @Test func portInUseIsRefused() throws {
            let server = try ServerProcess()
            let folder = try TemporaryFolder()
            let second = try CommandResult.server([
                "serve", "--listen", server.address, "--data", folder.path("data"),
            ])
            #expect(second.ending == .exit(69))
            expectOneLine(in: second, naming: server.address)
        }

        @Test func memoryKeepsNothing() throws {
            let folder = try TemporaryFolder()
            let process = try ChildProcess(
                Program.server, ["serve", "--listen", "127.0.0.1:0", "--memory"])
            let line = try process.output.next() ?? ""
            let match = try #require(line.firstMatch(of: /127\.0\.0\.1:[0-9]+/))
            let client = try JoinProcess("a", room: "room1", at: String(match.0))
            try client.submit([["insert": ["item": ["id": "milk"], "to": ["section": "main"]]]])
            try client.readUntilAnswered()
            #expect(try client.finish() == .exit(0))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
            process.send(signal: SIGTERM)
            #expect(try process.wait() == .exit(0))
        }

        @Test func roomsAreNotMadeWhereThatIsOff() throws {
            let server = try ServerProcess(["--create-rooms", "off"])
            let result = try CommandResult.client(["join", "room1"], at: server)
            let error = try #require(try result.json.first?["error"])
            #expect(error["code"] == "roomNotFound")
            #expect(result.ending != .exit(0))
        }

        /// `verify` reports a flipped byte wherever it is in the stored data.
        @Test func damageIsFound() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            for number in 0..<200 {
                let item: JSON = [
                    "id": .text("item-\(number)"), "fields": ["title": .text("Title \(number)")],
                ]
                try client.submit([["insert": ["item": item, "to": ["section": "main"]]]])
            }
            try client.readUntilAnswered()
            #expect(try server.terminate() == .exit(0))
            let sound = try CommandResult.server(["verify", server.data])
            #expect(sound.ending == .exit(0), "\(sound)")

            let damaged = server.folder.path("damaged")
            for marker in ["Title 17", "item-150"] {
                try? FileManager.default.removeItem(atPath: damaged)
                try FileManager.default.copyItem(atPath: server.data, toPath: damaged)
                #expect(try damage(marker, in: damaged), "nothing contains \(marker)")
                let result = try CommandResult.server(["verify", damaged])
                #expect(result.ending == .exit(65), "\(result)")
                #expect((result.output + result.errors).joined().contains("room1"))
            }
        }

        /// A person who may only read a store can verify it, and nothing in its folder changes.
        @Test func verifyReadsWhatCanNotBeWritten() throws {
            let server = try ServerProcess()
            let client = try JoinProcess("a", room: "room1", at: server.address)
            for id in ["milk", "eggs"] {
                try client.submit([
                    ["insert": ["item": ["id": .text(id)], "to": ["section": "main"]]]
                ])
                try client.readUntilAnswered()
            }
            _ = try client.finish()
            try server.kill()
            // A killed server leaves its data in the write-ahead log, which does not need SQLite's
            // index.
            try expectReadable(of: server, without: ["lock", "collsync.db-shm"])
            try expectReadable(of: server, without: ["collsync.db-shm"])
            try expectReadable(of: server, without: [])

            try server.restart()
            #expect(try server.terminate() == .exit(0))
            try expectReadable(of: server, without: [])
            try expectReadable(of: server, without: ["lock"])
        }

        /// Verifies a copy of a store that everyone may read and nobody may write.
        private func expectReadable(
            of server: ServerProcess, without missing: [String],
            location: SourceLocation = #_sourceLocation
        ) throws {
            let files = FileManager.default
            let folder = server.folder.path("copy")
            try files.copyItem(atPath: server.data, toPath: folder)
            defer {
                chmod(folder, 0o755)
                try? files.removeItem(atPath: folder)
            }
            for name in missing { try? files.removeItem(atPath: "\(folder)/\(name)") }
            for name in try files.files(in: folder) {
                try #require(chmod("\(folder)/\(name)", 0o444) == 0)
            }
            try #require(chmod(folder, 0o555) == 0 && chmod(server.folder.url.path, 0o755) == 0)
            func content() throws -> [String: Data] {
                var content: [String: Data] = [:]
                for name in try files.files(in: folder) {
                    content[name] = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
                }
                return content
            }
            let before = try content()
            // Permissions do not restrict root.
            let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
            let process = try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                (geteuid() == 0 ? other : []) + [Program.server.path, "verify", folder])
            process.closeInput()
            #expect(
                try process.wait() == .exit(0), "\(process.transcript)", sourceLocation: location)
            #expect(
                try process.output.all().last == "all is well: 1 rooms, 2 records, 0 snapshots",
                sourceLocation: location)
            #expect(try content() == before, sourceLocation: location)
        }

        @Test func verifyNeedsAStore() throws {
            let folder = try TemporaryFolder()
            let result = try CommandResult.server(["verify", folder.path("nothing")])
            #expect(result.ending == .exit(66))
            expectOneLine(in: result, naming: folder.path("nothing"))
        }

        /// Flips a byte of a text in any file of a folder, and returns whether a file contained it.
        private func damage(_ marker: String, in folder: String) throws -> Bool {
            for name in try FileManager.default.files(in: folder) {
                let file = URL(filePath: folder).appending(path: name)
                var data = try Data(contentsOf: file)
                guard let range = data.firstRange(of: Data(marker.utf8)) else { continue }
                data[range.upperBound - 1] ^= 1
                try data.write(to: file)
                return true
            }
            return false
        }

        /// A refusal is one line that names its subject.
        private func expectOneLine(
            in result: CommandResult, naming name: String,
            location: SourceLocation = #_sourceLocation
        ) {
            #expect(result.errors.count == 1, "\(result)", sourceLocation: location)
            #expect(
                result.errors.last?.contains(name) == true, "\(result)", sourceLocation: location)
        }
    }
}
