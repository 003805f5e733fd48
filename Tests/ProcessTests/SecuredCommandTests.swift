import Foundation
import SyncAccess
import TLSSupport
import Testing

extension ProcessTests {
    /// `collsync-cli` by TLS: what it trusts, who it is, and what it says otherwise.
    @Suite struct SecuredCommandTests {
        @Test func aRoomIsEdited() throws {
            let server = try SecuredServer()
            let anna = try server.join("anna")
            let bert = try server.join("bert", ["--tls-name", "localhost"])
            try anna.insertAnother()
            try bert.insertAnother()
            for client in [anna, bert] { try client.read(untilRevision: 2) }
            #expect(try anna.room == bert.room)
            #expect(try anna.finish() == .exit(0))
            #expect(try bert.finish() == .exit(0))
            let options = try server.options()
            let stats = try CommandResult.client(options + ["stats", "room1"], at: server.process)
            #expect(stats.ending == .exit(0), "before the command's name: \(stats)")
            #expect(try server.process.terminate() == .exit(0))
        }

        @Test func anUntrustedServerGetsNothing() throws {
            let server = try SecuredServer()
            let stranger = try TestAuthority(named: "Stranger")
            let trust = try server.options()
            try expectRefusal(at: server.process, ["--tls"], "signed by nobody who is trusted here")
            try expectRefusal(
                at: server.process, ["--tls-ca", stranger.file],
                "signed by nobody who is trusted here", "--tls-ca says whom to trust")
            try expectRefusal(
                at: server.process, trust + ["--tls-name", "example.org"],
                "its certificate is not for 'example.org'", "--tls-name")
            let none = try CommandResult.client(
                ["join", "room1", "--tls-ca", "/nowhere"], at: server.process)
            #expect(none.ending == .exit(64), "\(none)")
            #expect(none.errors.last?.contains("'/nowhere' can't be read: No such file") == true)
        }

        @Test func anUntrustedClientIsToldSo() throws {
            let server = try SecuredServer(asksForCertificates: true)
            let stranger = try TestAuthority(named: "Stranger")
            let namesake = try TestAuthority()
            let trust = try server.options()
            try expectRefusal(
                at: server.process, trust, "it asks for a certificate, and got none",
                "--tls-cert who this client is")
            let foreign = SecuredServer.options(showing: try stranger.issue("ann"))
            try expectRefusal(
                at: server.process, trust + foreign,
                "it does not trust who signed the certificate")
            let forged = SecuredServer.options(showing: try namesake.issue("ann"))
            try expectRefusal(
                at: server.process, trust + forged, "it does not accept the certificate")
            let old = SecuredServer.options(showing: try server.authority.issue("ann", days: -1))
            try expectRefusal(at: server.process, trust + old, "has expired")
            #expect(try server.process.terminate() == .exit(0))
        }

        /// One side speaks TLS, and the other does not.
        @Test func plainAndSecuredDoNotMeet() throws {
            let server = try SecuredServer()
            try expectRefusal(
                at: server.process, [], "takes only connections by TLS; add --tls",
                code: "needsTLS")
            let plain = try ServerProcess()
            try expectRefusal(
                at: plain, try server.options(), "it does not speak TLS", "without --tls",
                code: "unreachable")
        }

        /// The common name of a certificate is the user of what its owner does.
        @Test func certificatesNameUsers() throws {
            let server = try SecuredServer(asksForCertificates: true)
            let reader = try server.join("reader", certificate: "reader", ["--authors"])
            let ann = try server.join("ann", certificate: "ann")
            let ben = try server.join("ben", certificate: "Ben Ångström")
            try ann.insertAnother()
            try ben.insertAnother()
            try ann.insertAnother()
            try reader.read(untilRevision: 3)
            let users = (1...3).map { reader.authors[$0]?["user"] }
            #expect(users == ["ann", "Ben Ångström", "ann"])
            #expect(reader.authors[1]?["client"]?.text == ann.client)
            #expect(try reader.finish() == .exit(0))
        }

        /// A certificate that begins later is good again.
        @Test func certificatesAreTakenBack() throws {
            let server = try SecuredServer(asksForCertificates: true)
            let root = try server.options(named: "root")
            let ann = try JoinProcess(
                "ann", room: "room1", at: server.address, mayLoseConnection: true,
                try server.options(named: "ann"))
            let ben = try server.join("ben", certificate: "ben")
            try ann.insertAnother()
            let file = server.process.data + "/revocations"
            try "\(UTCSeconds.text(UInt64(time(nil)) - 3600)) user ann\n".write(
                toFile: file, atomically: false, encoding: .utf8)
            try ann.read(until: "the end of access") {
                $0.errors.contains { $0["code"] == "tokenRevoked" }
            }
            #expect(try ann.finish() == .exit(77), "\(ann.transcript)")
            try ben.insertAnother()
            let new = try SecuredServer.options(
                showing: server.authority.issue("ann", since: 60))
            let rooms = try CommandResult.client(
                try server.options() + new + ["rooms"], at: server.process)
            #expect(rooms.ending == .exit(0), "\(rooms)")
            // And by a request, with all certificates until now.
            let revoke = try CommandResult.client(
                root + ["revoke", "--user", "ann"], at: server.process)
            #expect(revoke.ending == .exit(0), "\(revoke)")
            let again = try CommandResult.client(
                try server.options() + new + ["rooms"], at: server.process)
            #expect(again.ending == .exit(77), "\(again)")
            #expect(try ben.finish() == .exit(0))
            #expect(try server.process.terminate() == .exit(0))
        }

        /// A server that asks for tokens as well takes none for a token.
        @Test func aCertificateIsNoToken() throws {
            let folder = try TemporaryFolder()
            let key = try CommandResult.server(["token", "--new-key", folder.path("main")])
            #expect(key.ending == .exit(0), "\(key)")
            let server = try SecuredServer(
                ["--auth-key", folder.path("main.public.pem")], asksForCertificates: true)
            let refused = try CommandResult.client(
                try server.options(named: "root") + ["rooms"], at: server.process)
            #expect(refused.ending == .exit(77), "\(refused)")
            let token = try CommandResult.server([
                "token", "--key", folder.path("main.private.pem"), "--user", "ann", "--room",
                "*=viewer",
            ])
            let file = try folder.write(token.output.joined(), to: "token")
            let rooms = try CommandResult.client(
                try server.options(named: "root") + ["rooms", "--token-file", file],
                at: server.process)
            #expect(rooms.ending == .exit(0), "\(rooms)")
        }

        /// A server that does not ask for certificates has nobody check them, so they name nobody.
        @Test func uncheckedCertificatesNameNobody() throws {
            let server = try SecuredServer()
            let reader = try server.join("reader", ["--authors"])
            let ann = try server.join("ann", certificate: "ann")
            try ann.insertAnother()
            try reader.read(untilRevision: 1)
            #expect(reader.authors[1]?["client"]?.text == ann.client)
            #expect(reader.authors[1]?["user"] == nil)
        }

        /// Checks that joining fails with a code, and that the message has these words.
        private func expectRefusal(
            at server: ServerProcess, _ options: [String], _ words: String...,
            code: String = "untrusted", _ location: SourceLocation = #_sourceLocation
        ) throws {
            let result = try CommandResult.client(["join", "room1"] + options, at: server)
            #expect(result.ending == .exit(69), "\(result)", sourceLocation: location)
            let error = try result.json.first?["error"]
            #expect(error?["code"]?.text == code, "\(result)", sourceLocation: location)
            for word in words {
                #expect(
                    error?["message"]?.text?.contains(word) == true, "\(word): \(result)",
                    sourceLocation: location)
            }
        }
    }
}
