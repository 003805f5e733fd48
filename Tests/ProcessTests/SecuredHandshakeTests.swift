import Foundation
import TLSSupport
import Testing

extension ProcessTests {
    /// What the server agrees on with OpenSSL's own client.
    @Suite struct SecuredHandshakeTests {
        @Test func onlyTLS13IsSpoken() throws {
            let server = try SecuredServer()
            for version in ["-tls1_2", "-tls1_1"] {
                let old = try connect(server, [version, "-cipher", "DEFAULT@SECLEVEL=0"])
                #expect(old.has("alert protocol version") && old.ending == .exit(1), "\(old)")
            }
            let new = try connect(server, [])
            #expect(new.has("New, TLSv1.3") && new.ending == .exit(0), "\(new)")
        }

        @Test func threeCiphersAreAccepted() throws {
            let server = try SecuredServer()
            let ciphers = [
                "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
            ]
            for cipher in ciphers {
                let probe = try connect(server, ["-ciphersuites", cipher])
                #expect(probe.has("Cipher is \(cipher)") && probe.ending == .exit(0), "\(probe)")
            }
            for cipher in ["TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256"] {
                let probe = try connect(server, ["-ciphersuites", cipher])
                #expect(
                    probe.has("alert handshake failure") && probe.ending == .exit(1), "\(probe)")
            }
        }

        @Test func theProtocolIsNegotiated() throws {
            let server = try SecuredServer()
            for names in ["collsync", "h2,collsync"] {
                let probe = try connect(server, ["-alpn", names])
                #expect(probe.has("ALPN protocol: collsync"), "\(probe)")
            }
            for names in ["h2", "collsync2", "collsyn"] {
                let other = try connect(server, ["-alpn", names])
                #expect(
                    other.has("alert no application protocol") && other.ending == .exit(1),
                    "\(other)")
            }
            let none = try connect(server, [])
            #expect(none.has("No ALPN negotiated") && none.ending == .exit(0), "\(none)")
        }

        @Test func aTicketResumesASession() throws {
            // The first client may print what it got only when the server closes the connection.
            let server = try SecuredServer(["--handshake-timeout", "2s"])
            let folder = try TemporaryFolder()
            let session = folder.path("session")
            let first = try connect(
                server, ["-sess_out", session], until: "Max Early Data:")
            #expect(first.has("New, TLSv1.3") && first.has("Max Early Data: 0"), "\(first)")
            let second = try connect(server, ["-sess_in", session])
            #expect(second.has("Reused, TLSv1.3") && second.ending == .exit(0), "\(second)")
            // The keys of tickets go with the certificate.
            let next = try server.authority.issue("next", for: "IP:127.0.0.1")
            try server.replace(by: next, logging: "the certificates are read again")
            let third = try connect(server, ["-sess_in", session])
            #expect(third.has("New, TLSv1.3") && third.ending == .exit(0), "\(third)")
        }

        /// Each connection shows its certificate.
        @Test func withCertificatesNothingIsResumed() throws {
            let server = try SecuredServer(
                ["--handshake-timeout", "1s"], asksForCertificates: true)
            let ann = try server.authority.issue("ann")
            let folder = try TemporaryFolder()
            let session = folder.path("session")
            // It is connected until the server closes the connection.
            let first = try connect(
                server,
                [
                    "-cert", ann.certificate, "-key", ann.key, "-sess_out", session, "-ign_eof",
                ])
            #expect(first.has("New, TLSv1.3") && first.has("no hello came in time"), "\(first)")
            #expect(!first.has("Session Ticket"), "\(first)")
            #expect(!FileManager.default.fileExists(atPath: session))
        }

        private func connect(
            _ server: SecuredServer, _ options: [String], until text: String? = nil
        ) throws -> TLSProbe {
            try TLSProbe.connect(
                to: server.port,
                ["-CAfile", server.authority.file, "-verify_return_error"] + options, until: text)
        }
    }
}
