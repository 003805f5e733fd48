import Foundation
import TLSSupport
import Testing

extension ProcessTests {
    /// On SIGHUP a server reads its certificate again.
    @Suite struct CertificateReloadTests {
        @Test func newConnectionsSeeTheNewCertificate() throws {
            let server = try SecuredServer()
            let hosts = TestAuthority.hosts
            let member = try server.join("member")
            try member.insertAnother()
            let second = try server.authority.issue("second", for: hosts)
            try server.replace(by: second, logging: "the certificates are read again")
            #expect(try shownName(by: server) == "second")
            try member.insertAnother()
            // Garbage, a key of another certificate, and no file.
            let folder = try TemporaryFolder()
            let garbage = try folder.write("garbage", to: "garbage.pem")
            let third = try server.authority.issue("third", for: hosts)
            for (certificate, key, reason) in [
                (garbage, third.key, "no readable certificate"),
                (third.certificate, second.key, "has no key for"),
                (third.certificate, garbage, "has no key for"),
            ] {
                let wrong = TestAuthority.Issued(certificate: certificate, key: key)
                try server.replace(by: wrong, logging: reason)
                #expect(try shownName(by: server) == "second")
                try member.insertAnother()
                try server.join("another").insertAnother()
            }
            try server.replace(by: third, logging: "the certificates are read again")
            #expect(try shownName(by: server) == "third")
            try member.insertAnother()
            #expect(member.welcomes.count == 1, "it was connected all the time")
            #expect(try member.finish() == .exit(0))
            #expect(try server.process.terminate() == .exit(0))
        }

        @Test func aServerWithoutCertificatesGoesOn() throws {
            let server = try ServerProcess()
            let member = try JoinProcess("member", room: "room1", at: server.address)
            server.send(signal: SIGHUP)
            try server.logLine(with: "there are no certificates or keys to read again")
            try member.insertAnother()
            #expect(try member.finish() == .exit(0))
            #expect(try server.terminate() == .exit(0))
        }

        /// The name in the certificate that a new connection sees.
        private func shownName(by server: SecuredServer) throws -> String? {
            let output = try TLSProbe.connect(to: server.port, []).output
            return output.lazy.compactMap { $0.firstMatch(of: /^subject=CN ?= ?(.+)$/) }.first
                .map { String($0.1) }
        }
    }
}
