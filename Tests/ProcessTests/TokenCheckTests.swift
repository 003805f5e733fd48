import Foundation
import SyncTokens
import Testing

extension ProcessTests {
    /// `collsync token --check` says what a token is, and whether a server takes it.
    @Suite struct TokenCheckTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            try makeKey("main")
        }

        private func makeKey(_ name: String, _ options: String...) throws {
            let result = try CommandResult.server(
                ["token", "--new-key", folder.path(name)] + options)
            #expect(result.ending == .exit(0), "\(result)")
        }

        /// Makes a token with a key's file.
        private func makeToken(by file: String = "main.private.pem", _ options: String...) throws
            -> String
        {
            let result = try CommandResult.server(
                ["token", "--key", folder.path(file), "--user", "ann", "--room", "*=editor"]
                    + options)
            #expect(result.ending == .exit(0), "\(result)")
            return try #require(result.output.first)
        }

        /// Signs claims that the command does not make.
        private func sign(_ change: (inout Claims) -> Void) throws -> String {
            let text = try String(contentsOfFile: folder.path("main.private.pem"), encoding: .utf8)
            let key = try #require(try SignatureKey.read(text, named: "main").first)
            let now = UInt64(Date().timeIntervalSince1970)
            var claims = Claims(
                user: "ann", id: "t-1", issued: now, expires: now + 600, rooms: ["*": "editor"])
            change(&claims)
            return try WebToken.sign(claims, by: key)
        }

        private func check(
            _ token: String, by file: String = "main.public.pem", _ options: String...
        ) throws -> CommandResult {
            try CommandResult.server(
                ["token", "--check", "--key", folder.path(file)] + options, input: token)
        }

        private func expectRefusal(
            _ result: CommandResult, _ reason: String, showing lines: [String],
            location: SourceLocation = #_sourceLocation
        ) {
            #expect(result.ending == .exit(65), "\(result)", sourceLocation: location)
            #expect(
                result.errors.count == 1 && result.errors[0].contains("not valid: \(reason)"),
                "\(result)", sourceLocation: location)
            #expect(
                lines.allSatisfy(result.output.contains) && result.output.isEmpty == lines.isEmpty,
                "\(result)", sourceLocation: location)
            #expect(
                !result.output.contains { $0.hasPrefix("valid") }, "\(result)",
                sourceLocation: location)
        }

        @Test func aGoodTokenIsExplained() throws {
            let token = try makeToken(
                "--name", "Ann A", "--id", "t-1", "--room", "team-*=viewer", "--lifetime", "10m")
            // Files and terminals may break a token into lines.
            for text in [token, " \(token.prefix(40))\n\(token.dropFirst(40))\n"] {
                let result = try check(text)
                #expect(result.ending == .exit(0) && result.errors == [], "\(result)")
                let output = result.output
                #expect(
                    output.prefix(4) == [
                        "key       main, EdDSA", "user      ann", "name      Ann A",
                        "token id  t-1",
                    ], "\(result)")
                #expect(
                    output.dropFirst(6).prefix(2) == [
                        "rooms     *  editor", "rooms     team-*  viewer",
                    ], "\(result)")
                let times = try zip(output.dropFirst(4), ["issued    ", "expires   "]).map {
                    try #require($0.hasPrefix($1), "\(result)")
                    return try Date(String($0.dropFirst($1.count)), strategy: .iso8601)
                }
                #expect(times.count == 2 && times[1].timeIntervalSince(times[0]) == 600)
                let left = output.last?.firstMatch(
                    of: /^valid: a server with this key takes it for ([0-9]+) more seconds$/)
                #expect((0...600).contains(left.flatMap { Int($0.1) } ?? -1), "\(result)")
            }
        }

        @Test func aRefusedTokenIsExplainedWithTheReason() throws {
            let expired = try sign {
                $0.iat = 1_600_000_000
                $0.exp = 1_600_003_600
            }
            expectRefusal(
                try check(expired), "the token has expired",
                showing: [
                    "key       main, EdDSA", "user      ann", "issued    2020-09-13T12:26:40Z",
                    "expires   2020-09-13T13:26:40Z", "rooms     *  editor",
                ])
            try makeKey("next")
            try makeKey("other")
            let other = try makeToken(by: "other.private.pem")
            expectRefusal(
                try check(other, by: "next.public.pem"),
                "the key that the token names is not known",
                showing: ["key       other, EdDSA", "user      ann"])
            // Another key of the same name has signed it.
            try FileManager.default.createDirectory(
                atPath: folder.path("keys"), withIntermediateDirectories: true)
            try makeKey("keys/main")
            let forged = try makeToken(by: "keys/main.private.pem")
            expectRefusal(
                try check(forged), "the token's signature is wrong",
                showing: ["key       main, EdDSA", "user      ann"])
            expectRefusal(try check("a.b.c"), "this is no token", showing: [])
            let long = String(repeating: "a", count: 20_000)
            expectRefusal(try check(long), "a token has at most 8192 bytes", showing: [])
        }

        /// What a stranger has written into a token can't command the terminal.
        @Test func whatATokenSaysIsPrintedAsText() throws {
            let token = try sign {
                $0.sub = "a\u{1B}[2J\nvalid: yes"
                $0.name = "\u{7}"
                $0.iat = 1e300
                $0.rooms = ["\u{1B}c": "\u{9B}"]
            }
            let result = try check(token)
            #expect(result.ending == .exit(65), "\(result)")
            #expect(!result.output.isEmpty && !result.output.contains { $0.hasPrefix("valid") })
            for line in result.output + result.errors {
                #expect(
                    !line.unicodeScalars.contains { $0.properties.generalCategory == .control },
                    "\(result)")
            }
        }

        /// A check has the flags of the server, and judges as that would.
        /// In the token one of two would count, and nobody would know which.
        @Test func roomsHaveOneRole() throws {
            for second in ["caf\u{E9}", "cafe\u{301}"] {
                let result = try CommandResult.server([
                    "token", "--key", folder.path("main.private.pem"), "--user", "ann", "--room",
                    "caf\u{E9}=viewer", "--room", "\(second)=editor",
                ])
                #expect(result.ending == .exit(65) && result.output == [], "\(result)")
                #expect(result.errors.joined().contains("come twice"), "\(result)")
            }
        }

        @Test func theServersPolicyCounts() throws {
            let other = try makeToken("--audience", "other")
            expectRefusal(
                try check(other), "the token is meant for another service",
                showing: ["user      ann"])
            #expect(try check(other, "--audience", "other").ending == .exit(0))
            let long = try makeToken("--lifetime", "30h", "--max-token-lifetime", "2d")
            expectRefusal(
                try check(long), "the token's lifetime is longer than 86400 seconds",
                showing: ["user      ann"])
            #expect(try check(long, "--max-token-lifetime", "2d").ending == .exit(0))
            let short = try makeToken("--lifetime", "2m")
            expectRefusal(
                try check(short, "--max-token-lifetime", "1m"),
                "the token's lifetime is longer than 60 seconds", showing: ["user      ann"])
        }

        /// A folder may have keys of each kind, and a set of them; each opens the server.
        @Test func eachKeyOfAFolderCounts() throws {
            try makeKey("second", "--algorithm", "ES256")
            for name in ["third", "fourth", "fifth"] { try makeKey(name, "--algorithm", "HS256") }
            let keys = folder.path("keys")
            try FileManager.default.createDirectory(
                atPath: keys, withIntermediateDirectories: true)
            for file in ["main.public.pem", "second.public.pem", "third.secret.json"] {
                try FileManager.default.copyItem(
                    atPath: folder.path(file), toPath: "\(keys)/\(file)")
            }
            let secrets = try ["fourth", "fifth"].map {
                try String(contentsOfFile: folder.path("\($0).secret.json"), encoding: .utf8)
            }
            _ = try folder.write(
                #"{"keys":[\#(secrets.joined(separator: ","))]}"#, to: "keys/set.jwks")
            _ = try folder.write("no key", to: "keys/README")
            let server = try ServerProcess(["--auth-key", keys])
            for (file, shown) in [
                ("main.private.pem", "main, EdDSA"), ("second.private.pem", "second, ES256"),
                ("third.secret.json", "third, HS256"), ("fourth.secret.json", "fourth, HS256"),
                ("fifth.secret.json", "fifth, HS256"),
            ] {
                let token = try makeToken(by: file)
                let checked = try check(token, by: "keys")
                #expect(checked.ending == .exit(0), "\(checked)")
                #expect(checked.output.first == "key       \(shown)")
                let path = try folder.write(token, to: "token")
                let rooms = try CommandResult.client(["rooms", "--token-file", path], at: server)
                #expect(rooms.ending == .exit(0), "\(rooms)")
            }
            #expect(try server.terminate() == .exit(0))
        }
    }
}
