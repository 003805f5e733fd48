import SyncIO
import SyncTLS
import TLSSupport

/// TLS between the machines of a run. Everybody has a certificate with the name of the machine.
///
/// With certificates of clients there are no tickets, whose lengths would differ from run to run.
final class SimulatedSecurity {
    private let authority: TestAuthority
    let server: TLSServer

    init() throws {
        authority = try TestAuthority()
        server = try authority.makeServer(asksForCertificates: true)
    }

    func makeClient(named name: String) throws -> TLSClient {
        try authority.makeClient(named: name)
    }
}
