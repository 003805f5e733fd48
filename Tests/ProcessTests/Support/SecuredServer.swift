import Foundation
import TLSSupport

/// A `collsync serve` with TLS, the authority that clients trust, and files that can be replaced.
final class SecuredServer {
    let authority: TestAuthority
    let process: ServerProcess
    private let folder: TemporaryFolder

    init(
        _ options: [String] = [], asksForCertificates: Bool = false,
        environment: [String: String] = [:], speaksHTTP: Bool = false
    ) throws {
        authority = try TestAuthority()
        folder = try TemporaryFolder()
        try SecuredServer.copy(
            try authority.issue("server", for: TestAuthority.hosts), into: folder)
        process = try ServerProcess(
            ["--tls-cert", folder.path("server.pem"), "--tls-key", folder.path("server.key")]
                + (asksForCertificates ? ["--tls-client-ca", authority.file] : []) + options,
            environment: environment, speaksHTTP: speaksHTTP)
    }

    var port: UInt16 { process.port }
    var address: String { process.address }

    /// The options of a client that trusts this server.
    ///
    /// - Parameter name: the name in the client's certificate; `nil` if it has none.
    func options(named name: String? = nil) throws -> [String] {
        let trust = ["--tls-ca", authority.file]
        return try name.map { trust + SecuredServer.options(showing: try authority.issue($0)) }
            ?? trust
    }

    static func options(showing issued: TestAuthority.Issued) -> [String] {
        ["--tls-cert", issued.certificate, "--tls-key", issued.key]
    }

    /// Joins a room.
    func join(
        _ name: String, room: String = "room1", certificate: String? = nil,
        _ options: [String] = []
    ) throws -> JoinProcess {
        try JoinProcess(
            name, room: room, at: address, try self.options(named: certificate) + options)
    }

    /// Replaces the server's certificate and key, has it read them, and waits for a line of its
    /// log.
    func replace(by issued: TestAuthority.Issued, logging text: String) throws {
        try SecuredServer.copy(issued, into: folder)
        process.send(signal: SIGHUP)
        try process.logLine(with: text)
    }

    private static func copy(_ issued: TestAuthority.Issued, into folder: TemporaryFolder) throws {
        for (path, name) in [(issued.certificate, "server.pem"), (issued.key, "server.key")] {
            _ = try folder.write(String(contentsOfFile: path, encoding: .utf8), to: name)
        }
    }
}

extension JoinProcess {
    /// Inserts an item, and waits until that is acknowledged.
    func insertAnother() throws {
        let item: JSON = ["id": .text("\(name)-\(sent)")]
        try submit([["insert": ["item": item, "to": ["section": "main"]]]])
        try readUntilAnswered()
        guard rejected == [:], errors == [] else {
            throw TestFailure("an edit failed: \(transcript)")
        }
    }
}
