import Glibc
import Testing

extension ProcessTests {
    /// `collsync-cli` over WebSockets does what it does over plain connections.
    @Suite struct WebSocketCommandTests {
        @Test(arguments: [false, true])
        func aRoomIsEdited(isSecured: Bool) throws {
            let server = try WebSocketServer(isSecured: isSecured)
            let anna = try server.join("anna")
            let bert = try JoinProcess(
                "bert", room: "room1", at: server.process.address, server.options)
            try anna.insertAnother()
            try bert.insertAnother()
            for client in [anna, bert] { try client.read(untilRevision: 2) }
            #expect(try anna.room == bert.room)
            #expect(anna.others.count == 1, "\(anna.transcript)")
            #expect(try anna.finish() == .exit(0))
            #expect(try bert.finish() == .exit(0))
            #expect(try server.process.terminate() == .exit(0))
        }

        @Test func allCommandsSpeakIt() throws {
            let server = try WebSocketServer(isSecured: true)
            let room = #"{"sections":[{"id":"s","items":[{"id":"x"},{"id":"y"}]}]}"#
            let folder = try TemporaryFolder()
            let file = try folder.write(room, to: "room")
            #expect(try server.run(["import", "room1", file]).ending == .exit(0))
            for command in [
                ["export", "room1"], ["rooms"], ["stats", "room1"],
                ["tail", "room1", "--from", "0", "--until", "1"],
                ["render", "room1", "--layout", "flow", "--out", folder.path("a.svg")],
                ["delete-room", "room1", "--yes"],
            ] {
                let result = try server.run(command)
                #expect(result.ending == .exit(0), "\(command): \(result)")
            }
            let refused = try server.run(["revoke", "--user", "ann"])
            #expect(refused.errors.last?.contains("keeps no revocations") == true, "\(refused)")
        }

        /// The server is killed while clients write. They connect again by themselves, and each
        /// transaction is applied once.
        @Test(arguments: [false, true])
        func nothingIsLostOrDoneTwice(isSecured: Bool) throws {
            let server = try WebSocketServer(isSecured: isSecured)
            let load = try WriteLoad(
                ["a", "b", "c"], room: "room1", at: server.process, by: try server.url(),
                server.options)
            for _ in 0..<5 {
                try load.run(untilAcknowledged: 60)
                try server.process.kill()
                try server.process.restart()
                try load.runUntilAllAreServed()
                let exported = try server.process.export("room1", server.options)
                #expect(load.missing(in: exported) == [])
            }
            // A server that ends says so to them.
            #expect(try server.process.terminate() == .exit(0))
            try server.process.restart()
            try load.runUntilAllAreServed()
            #expect(try load.findings(at: server.process) == [])
        }

        @Test func heartbeatsKeepItOpen() throws {
            let server = try WebSocketServer(isSecured: false, ["--heartbeat", "100ms"])
            let (anna, bert) = (try server.join("anna"), try server.join("bert"))
            // Bert says nothing but heartbeats meanwhile, for more than three times their interval.
            try anna.insertAnother()
            try bert.read(untilRevision: 1)
            for revision in 2...40 {
                try anna.insertAnother()
                try bert.read(untilRevision: revision)
                usleep(20_000)
            }
            #expect(bert.welcomes.count == 1, "\(bert.transcript)")
            #expect(try bert.finish() == .exit(0))
        }

        /// The options for TLS mean what they mean without a WebSocket.
        @Test func certificatesAreShown() throws {
            let server = try SecuredServer(asksForCertificates: true, speaksHTTP: true)
            let port = try #require(server.process.httpPort)
            let ann = try JoinProcess(
                "ann", room: "room1", at: "wss://127.0.0.1:\(port)",
                try server.options(named: "ann") + ["--tls-name", "localhost", "--authors"])
            try ann.insertAnother()
            try ann.read(untilRevision: 1)
            #expect(ann.authors[1]?["user"] == "ann")
            #expect(try ann.finish() == .exit(0))
            try expectFailure(
                "wss://127.0.0.1:\(port)", try server.options(), 69, "untrusted",
                "it asks for a certificate, and got none")
            try expectFailure(
                "wss://127.0.0.1:\(port)",
                try server.options(named: "ann") + ["--tls-name", "example.org"], 69, "untrusted",
                "its certificate is not for 'example.org'")
        }

        // MARK: What is wrong

        @Test func wrongURLsAreExplained() throws {
            let (plain, secured) = (
                try WebSocketServer(isSecured: false), try WebSocketServer(isSecured: true)
            )
            try expectFailure(
                try plain.url("/elsewhere"), [], 69, "noWebSocket",
                "the server answers 404 Not Found", "their path is /v1/ws")
            try expectFailure(
                "ws://\(plain.process.address)", [], 69, "noWebSocket", "answers 400",
                "collsync serve --http")
            try expectFailure(
                try secured.url().replacing("wss:", with: "ws:"), [], 69, "needsTLS",
                "takes only connections by TLS", "write wss://")
            try expectFailure(
                try plain.url().replacing("ws:", with: "wss:"), secured.options, 69, "unreachable",
                "it does not speak TLS")
            try expectFailure(
                try secured.url(), [], 69, "untrusted", "signed by nobody who is trusted here")
            // The port of frames takes the name of no other protocol.
            try expectFailure(
                "wss://\(secured.process.address)", secured.options, 69, nil, "127.0.0.1")
            try expectFailure("ws://127.0.0.1:1", [], 69, "unreachable", "collsync serve --http")
            try expectFailure(try plain.url(), ["--tls"], 64, "badAddress", "write wss://")
            try expectFailure(
                "https://127.0.0.1", [], 64, "badAddress", "begins with ws:// or wss://")
            let failure = try expectFailure(
                "wss://ann:secret@127.0.0.1", [], 64, "badAddress", "has no user or password")
            #expect(!"\(failure.output) \(failure.errors)".contains("secret"))
        }

        @Test func tokensAreShown() throws {
            let folder = try TemporaryFolder()
            let made = try CommandResult.server(["token", "--new-key", folder.path("main")])
            #expect(made.ending == .exit(0), "\(made)")
            let token = try CommandResult.server([
                "token", "--key", folder.path("main.private.pem"), "--user", "ann", "--room",
                "*=admin",
            ])
            let file = try folder.write(token.output.joined(), to: "token")
            let server = try WebSocketServer(
                isSecured: true, ["--auth-key", folder.path("main.public.pem")])
            let none = try server.run(["rooms"])
            #expect(none.ending == .exit(77), "\(none)")
            #expect(none.errors.last?.contains("--token-file") == true, "\(none)")
            let rooms = try server.run(["rooms", "--token-file", file])
            #expect(rooms.ending == .exit(0), "\(rooms)")
        }

        /// Checks that a command fails with an exit code and a code, and that its message has these
        /// words.
        @discardableResult
        private func expectFailure(
            _ url: String, _ options: [String], _ exitCode: Int32, _ code: String?,
            _ words: String..., location: SourceLocation = #_sourceLocation
        ) throws -> CommandResult {
            let result = try CommandResult.client(["--server", url, "join", "room1"] + options)
            #expect(result.ending == .exit(exitCode), "\(result)", sourceLocation: location)
            let error = try result.json.first?["error"]
            if let code {
                #expect(error?["code"]?.text == code, "\(result)", sourceLocation: location)
            }
            for word in words {
                #expect(
                    error?["message"]?.text?.contains(word) == true, "\(word): \(result)",
                    sourceLocation: location)
            }
            return result
        }
    }
}
