import Foundation
import Testing

extension ProcessTests {
    /// A server that asks for tokens, with the real commands.
    @Suite struct TokenCommandTests {
        /// A folder with a key, and a server that knows it.
        private struct Scene {
            let folder: TemporaryFolder
            let server: ServerProcess

            init() throws {
                folder = try TemporaryFolder()
                try FileManager.default.createDirectory(
                    atPath: folder.path("keys"), withIntermediateDirectories: true)
                try Scene.run(["token", "--new-key", folder.path("main")])
                try FileManager.default.moveItem(
                    atPath: folder.path("main.public.pem"),
                    toPath: folder.path("keys/main.public.pem"))
                server = try ServerProcess(["--auth-key", folder.path("keys")])
            }

            @discardableResult
            static func run(_ arguments: [String]) throws -> String {
                let process = try ChildProcess(try Program.server, arguments)
                #expect(try process.wait() == .exit(0), "\(process.transcript)")
                var lines: [String] = []
                while let line = try process.output.next() { lines.append(line) }
                return lines.joined(separator: "\n")
            }

            /// Writes a token to a file.
            func token(
                _ user: String, _ room: String, key: String = "main", _ options: [String] = []
            ) throws -> String {
                let token = try Scene.run(
                    [
                        "token", "--key", folder.path("\(key).private.pem"), "--user", user,
                        "--room", room,
                    ] + options)
                return try folder.write(token, to: "\(user).token")
            }

            /// Runs the client's command.
            func client(
                _ arguments: [String], as file: String?
            ) throws -> (ProcessLife.Ending, String) {
                let token = file.map { ["--token-file", $0] } ?? []
                let process = try ChildProcess(
                    try Program.client, arguments + ["--server", server.address] + token)
                return (try process.wait(), process.transcript)
            }
        }

        @Test func whoHasNoTokenGetsNothing() throws {
            let scene = try Scene()
            let (ending, text) = try scene.client(["rooms"], as: nil)
            #expect(ending == .exit(77) && text.contains("token"), "\(text)")
            let forged = try scene.folder.write("a.b.c", to: "forged")
            #expect(try scene.client(["rooms"], as: forged).0 == .exit(77))
        }

        @Test func aRoleCountsInItsRooms() throws {
            let scene = try Scene()
            let ann = try scene.token("ann", "team-*=admin")
            let (ending, text) = try scene.client(["stats", "other"], as: ann)
            #expect(ending != .exit(0) && text.contains("role"), "\(text)")
            #expect(try scene.client(["rooms"], as: ann).0 == .exit(0))
        }

        @Test func revokedTokensAreKeptAway() throws {
            let scene = try Scene()
            let root = try scene.token("root", "*=admin")
            let ann = try scene.token("ann", "*=editor")
            let ben = try scene.token("ben", "*=editor")
            #expect(try scene.client(["rooms"], as: ann).0 == .exit(0))
            let (denied, _) = try scene.client(["revoke", "--user", "root"], as: ann)
            #expect(denied != .exit(0))
            let (ending, text) = try scene.client(["revoke", "--user", "ann"], as: root)
            #expect(ending == .exit(0), "\(text)")
            #expect(try scene.client(["rooms"], as: ann).0 == .exit(77))
            #expect(try scene.client(["rooms"], as: ben).0 == .exit(0))
            // The file outlives the server, and other programs may extend it.
            let file = scene.server.data + "/revocations"
            let lines = try String(contentsOfFile: file, encoding: .utf8)
            #expect(lines.hasSuffix(" user ann\n"))
            let handle = try #require(FileHandle(forWritingAtPath: file))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("nonsense\n2099-01-01T00:00:00Z user ben\n".utf8))
            // The server may also read what it has written itself.
            try scene.server.logLine(with: #"the revocations are read again count="2""#)
            #expect(try scene.client(["rooms"], as: ben).0 == .exit(77))
            #expect(try scene.client(["rooms"], as: root).0 == .exit(0))
            // The audit trail has all three, and is whole when the server has ended.
            #expect(try scene.server.terminate() == .exit(0))
            let trail = try CommandResult.server(
                ["audit", scene.server.data, "--kind", "revoke"])
            #expect(trail.output.count == 3)
            for (line, parts) in zip(
                trail.output,
                [
                    ["user=ann", "refused=notAllowed: ", " user root"],
                    ["user=root", "address=127.0.0.1:", " done: ", " user ann"],
                    [" revoke done: 2099-01-01T00:00:00Z user ben, not by a request"],
                ])
            {
                #expect(parts.allSatisfy(line.contains), "\(line)")
            }
        }

        /// A line that another program writes to the file ends members that are there already.
        @Test func aLineInTheFileEndsMembers() throws {
            let scene = try Scene()
            let ann = try scene.token("ann", "*=editor")
            let ben = try scene.token("ben", "*=editor", ["--id", "t-ben"])
            let (first, second) = try (
                JoinProcess(
                    "ann", room: "room", at: scene.server.address, mayLoseConnection: true,
                    ["--token-file", ann]),
                JoinProcess(
                    "ben", room: "room", at: scene.server.address, mayLoseConnection: true,
                    ["--token-file", ben])
            )
            func revoke(_ line: String, then member: JoinProcess) throws {
                let file = scene.server.data + "/revocations"
                let former = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
                try (former + "2099-01-01T00:00:00Z \(line)\n").write(
                    toFile: file, atomically: false, encoding: .utf8)
                try member.read(until: "the end of \(member.name)") {
                    $0.errors.contains { $0["code"] == "tokenRevoked" }
                }
                #expect(try member.finish() == .exit(77), "\(member.transcript)")
            }
            try revoke("token t-ben", then: second)
            try first.submit([["insert": ["item": ["id": "a"], "to": ["section": "main"]]]])
            try first.read(until: "an acknowledgement") { $0.acknowledged.count == 1 }
            try revoke("all", then: first)
            #expect(try scene.server.terminate() == .exit(0))
        }

        /// Everything but a user, which another test revokes.
        @Test func tokensKeysAndAllAreRevoked() throws {
            let scene = try Scene()
            let root = try scene.token("root", "*=admin")
            let ann = try scene.token("ann", "*=editor", ["--id", "t-ann"])
            let file = scene.server.data + "/revocations"
            func lines() throws -> [String] {
                try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
                    $0.drop { $0 != " " }.dropFirst()
                }.map(String.init)
            }
            let (first, text) = try scene.client(["revoke", "--token-id", "t-ann"], as: root)
            #expect(first == .exit(0), "\(text)")
            #expect(try lines() == ["token t-ann"])
            #expect(try scene.client(["rooms"], as: ann).0 == .exit(77))
            let (second, more) = try scene.client(["revoke", "--key-id", "next"], as: root)
            #expect(second == .exit(0), "\(more)")
            #expect(try lines() == ["token t-ann", "key next"])
            #expect(try scene.client(["rooms"], as: root).0 == .exit(0))
            // The token that asks is revoked as well.
            #expect(try scene.client(["revoke", "--all"], as: root).0 != .exit(0))
            #expect(try lines() == ["token t-ann", "key next", "all"])
            #expect(try scene.client(["rooms"], as: root).0 == .exit(77))
            #expect(try scene.server.terminate() == .exit(0))
        }

        /// A backup leads to no store in which a revoked token is good again.
        @Test func revocationsAreInBackups() throws {
            let scene = try Scene()
            let ann = try scene.token("ann", "*=editor")
            let ben = try scene.token("ben", "*=editor")
            let root = try scene.token("root", "*=admin")
            let (ending, text) = try scene.client(["revoke", "--user", "ann"], as: root)
            #expect(ending == .exit(0), "\(text)")
            let (copy, new) = (scene.folder.path("copy"), scene.folder.path("new"))
            let backup = try CommandResult.server(["backup", scene.server.data, "--to", copy])
            #expect(backup.errors.contains("copied 1 revocations"), "\(backup)")
            #expect(try scene.server.terminate() == .exit(0))
            let restore = try CommandResult.server(["restore", new, "--from", copy])
            #expect(restore.output.contains("added 1 revocations"), "\(restore)")
            let server = try ServerProcess(["--auth-key", scene.folder.path("keys")], data: new)
            for (file, code) in [(ann, 77), (ben, 0)] as [(String, Int32)] {
                let process = try ChildProcess(
                    try Program.client,
                    ["rooms", "--server", server.address, "--token-file", file])
                #expect(try process.wait() == .exit(code), "\(process.transcript)")
            }
            #expect(try server.terminate() == .exit(0))
        }

        /// Nobody knows whom to keep out if the revocations can't be read.
        @Test func revocationsThatCannotBeReadEndTheStart() throws {
            let scene = try Scene()
            #expect(try scene.server.terminate() == .exit(0))
            let process = try ChildProcess(
                try Program.server,
                [
                    "serve", "--listen", "127.0.0.1:0", "--memory", "--auth-key",
                    scene.folder.path("keys"), "--revocations", scene.folder.path("keys"),
                ])
            #expect(try process.wait() == .exit(78), "\(process.transcript)")
        }

        @Test func aKeyThatIsGoneOpensNothing() throws {
            let scene = try Scene()
            let ann = try scene.token("ann", "*=editor")
            #expect(try scene.client(["rooms"], as: ann).0 == .exit(0))
            let member = try JoinProcess(
                "ann", room: "room", at: scene.server.address, mayLoseConnection: true,
                ["--token-file", ann])
            try Scene.run(["token", "--new-key", scene.folder.path("next")])
            try FileManager.default.moveItem(
                atPath: scene.folder.path("next.public.pem"),
                toPath: scene.folder.path("keys/next.public.pem"))
            try FileManager.default.removeItem(atPath: scene.folder.path("keys/main.public.pem"))
            scene.server.send(signal: SIGHUP)
            try scene.server.logLine(with: "the keys of tokens are read again")
            #expect(try scene.client(["rooms"], as: ann).0 == .exit(77))
            let new = try scene.token("ann", "*=editor", key: "next")
            #expect(try scene.client(["rooms"], as: new).0 == .exit(0))
            // A wrong file changes nothing.
            _ = try scene.folder.write("nonsense", to: "keys/bad.pem")
            scene.server.send(signal: SIGHUP)
            try scene.server.logLine(with: "the keys of tokens stay as they were")
            #expect(try scene.client(["rooms"], as: new).0 == .exit(0))
            _ = try member.finish()
            #expect(try scene.server.terminate() == .exit(0))
            let trail = try CommandResult.server(
                ["audit", scene.server.data, "--kind", "retireKey", "--json"])
            #expect(
                try trail.json.map { $0["detail"] } == [
                    "key main is removed, connections cut off: 1"
                ])
            #expect(try trail.json.allSatisfy { $0["code"] == nil && $0["user"] == nil })
        }
    }
}
