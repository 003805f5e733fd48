import Glibc
import SyncIO
import SyncSim
import SyncTLS
import TLSSupport
import Testing

/// Whom clients and servers trust, over a simulated network.
@Suite("Trust")
struct TrustTests {
    /// What comes of a connection, at the client's side.
    enum Ending: Equatable, Sendable {
        case connected
        case closed(IOError?)
        case failed(IOError)
    }

    /// Sendable, because everything runs on one thread.
    private final class Side: ByteStreamHandler, @unchecked Sendable {
        var stream: (any ByteStream)?
        var ending: Ending?
        var received = 0

        func streamDidReceive(_ bytes: UnsafeRawBufferPointer) { received += bytes.count }
        func streamDidDrain() {}
        func streamDidClose(_ error: IOError?) { ending = .closed(error) }
    }

    private static let address = SocketAddress(host: "10.0.0.1", port: 7420)

    /// Connects, and has the client write once it is connected. Later the connection is lost: it
    /// ends without TLS's notice.
    ///
    /// - Returns: the ending at the client's side, whether that resumed a session, and what the
    ///   server has received.
    private func connect(
        _ server: (any ServerSecurity)?, _ client: any ClientSecurity,
        to address: SocketAddress = TrustTests.address
    ) throws -> (ending: Ending?, isResumed: Bool, received: Int) {
        let simulation = Simulation(seed: 1)
        defer { simulation.end() }
        let (own, other) = (Side(), Side())
        try simulation.makePlatform(named: "server").startLoop(named: "server") { loop in
            _ = try? loop.listen(on: address) { below in
                let stream = server?.secure(below, on: loop) ?? below
                loop.schedule(afterMilliseconds: 20_000) { below.close() }
                other.stream = stream
                stream.open(other)
            }
        }
        try simulation.makePlatform(named: "client").startLoop(named: "client") { loop in
            client.connect(to: address, on: loop) { result in
                switch result {
                case .success(let stream):
                    own.stream = stream
                    own.ending = .connected
                    stream.open(own)
                    stream.write([SharedBytes([1, 2, 3])])
                case .failure(let error): own.ending = .failed(error)
                }
            }
        }
        simulation.run(forMilliseconds: 15_000)
        let isResumed = (own.stream as? TLSStream)?.isResumed == true
        defer { simulation.run(forMilliseconds: 10_000) }
        defer { own.stream = nil }
        return (own.ending, isResumed, other.received)
    }

    @Test("who is trusted is connected")
    func trusted() throws {
        let authority = try TestAuthority()
        let result = try connect(authority.makeServer(), authority.makeClient())
        #expect(result.ending == .connected && result.received == 3)
    }

    @Test("a client resumes its session, even if its connection was lost")
    func resumption() throws {
        let authority = try TestAuthority()
        let (server, client) = (try authority.makeServer(), try authority.makeClient())
        let results = try (0..<3).map { _ in try connect(server, client) }
        #expect(results.map(\.ending) == [.connected, .connected, .connected])
        #expect(results.map(\.isResumed) == [false, true, true])
    }

    @Test("a client that shows its certificate resumes no session")
    func noResumption() throws {
        let authority = try TestAuthority()
        let server = try authority.makeServer(asksForCertificates: true)
        let client = try authority.makeClient(named: "ann")
        let results = try (0..<2).map { _ in try connect(server, client) }
        #expect(results.map(\.ending) == [.connected, .connected])
        #expect(results.map(\.isResumed) == [false, false])
    }

    @Test("a client asks for the server's name")
    func names() throws {
        let authority = try TestAuthority()
        let server = try authority.makeServer()
        for name in ["localhost", "127.0.0.1", "::1"] {
            #expect(try connect(server, authority.makeClient(server: name)).ending == .connected)
        }
        for name in ["example.org", "10.0.0.2", "server", "localhost.example.org"] {
            let result = try connect(server, authority.makeClient(server: name))
            guard case .failed(.untrusted(let why)) = result.ending else {
                Issue.record("\(name): \(String(describing: result.ending))")
                continue
            }
            #expect(why.contains("its certificate is not for '\(name)'"), "\(why)")
            #expect(result.received == 0)
        }
        let none = try connect(server, authority.makeClient(server: ""))
        guard case .failed(.untrusted) = none.ending else {
            Issue.record("\(String(describing: none.ending))")
            return
        }
    }

    @Test("a session with one name is not resumed with another")
    func namesOfSessions() throws {
        let authority = try TestAuthority()
        let issued = try authority.issue("server", for: "IP:10.0.0.1")
        let server = try TLSServer(.init(certificate: issued.certificate, key: issued.key))
        let client = try authority.makeClient()
        for _ in 0..<2 { #expect(try connect(server, client).received == 3) }
        let other = SocketAddress(host: "127.0.0.1", port: 7420)
        let result = try connect(server, client, to: other)
        guard case .failed(.untrusted) = result.ending else {
            Issue.record("\(String(describing: result.ending))")
            return
        }
        #expect(result.received == 0)
    }

    @Test("a wrong file leaves a server as it was")
    func wrongReload() throws {
        let authority = try TestAuthority()
        let (one, other) = (
            try authority.issue("one", for: TestAuthority.hosts),
            try authority.issue("other", for: TestAuthority.hosts)
        )
        let copy = TestAuthority.Issued(
            certificate: "\(authority.folder)/copy.pem", key: "\(authority.folder)/copy.key")
        try link(one.certificate, as: copy.certificate)
        try link(one.key, as: copy.key)
        let server = try TLSServer(.init(certificate: copy.certificate, key: copy.key))
        try link(other.certificate, as: copy.certificate)
        #expect(throws: TLSError.self) { try server.reload() }
        #expect(try connect(server, authority.makeClient()).received == 3)
        try link(other.key, as: copy.key)
        try server.reload()
        #expect(try connect(server, authority.makeClient()).received == 3)
    }

    private func link(_ file: String, as path: String) throws {
        unlink(path)
        try #require(symlink(file, path) == 0)
    }

    @Test("a server that nobody trusts, or whose certificate is too old, gets no byte")
    func untrustedServer() throws {
        let authority = try TestAuthority()
        let stranger = try TestAuthority(named: "Stranger")
        let old = try authority.issue("server", for: TestAuthority.hosts, days: -1)
        let expired = try TLSServer(.init(certificate: old.certificate, key: old.key))
        for (server, word) in [(try stranger.makeServer(), "trusted here"), (expired, "expired")] {
            let result = try connect(server, authority.makeClient())
            guard case .failed(.untrusted(let why)) = result.ending else {
                Issue.record("\(String(describing: result.ending))")
                continue
            }
            #expect(why.contains(word), "\(why)")
            #expect(result.received == 0)
        }
    }

    @Test("a server that asks for certificates admits those that it trusts, with a name")
    func clients() throws {
        let authority = try TestAuthority()
        let stranger = try TestAuthority()
        let server = try authority.makeServer(asksForCertificates: true)
        #expect(try connect(server, authority.makeClient(named: "Ann")).received == 3)
        let nameless = try authority.issue(nil, for: "DNS:ann.example")
        let foreign = try stranger.issue("Ann")
        let old = try authority.issue("Ann", days: -1)
        for issued in [nameless, foreign, old] {
            let client = try TLSClient(
                trusted: authority.file, certificate: issued.certificate, key: issued.key)
            let result = try connect(server, client)
            // A client of TLS 1.3 is connected before the server has seen its certificate.
            #expect(result.received == 0)
            guard case .closed = result.ending else {
                Issue.record("\(String(describing: result.ending))")
                continue
            }
        }
        #expect(try connect(server, authority.makeClient()).received == 0)
    }

    @Test("a server that does not speak TLS is not waited for")
    func plainServer() throws {
        let authority = try TestAuthority()
        let result = try connect(nil, authority.makeClient())
        guard case .failed(.unreachable(let why)) = result.ending else {
            Issue.record("\(String(describing: result.ending))")
            return
        }
        #expect(why.contains("too long"))
    }

    @Test("files that can't be used say why")
    func files() throws {
        let authority = try TestAuthority()
        let (one, other) = (try authority.issue("one"), try authority.issue("other"))
        let wrong: [(TLSServer.Files, String)] = [
            (.init(certificate: "/nowhere", key: one.key), "/nowhere"),
            (.init(certificate: one.certificate, key: "/nowhere"), "/nowhere"),
            (.init(certificate: one.key, key: one.key), "no readable certificate"),
            (.init(certificate: one.certificate, key: one.certificate), "has no key"),
            (.init(certificate: one.certificate, key: other.key), "has no key"),
            (
                .init(certificate: one.certificate, key: one.key, clientCertificates: one.key),
                "no readable certificates"
            ),
        ]
        for (files, word) in wrong {
            let error = #expect(throws: TLSError.self) { try TLSServer(files) }
            #expect(
                error?.description.contains(word) == true, "\(word): \(error?.description ?? "")")
        }
    }
}
