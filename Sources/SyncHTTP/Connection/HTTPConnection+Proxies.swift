import SyncHTTPCodec
import SyncServer
import SyncWire

// Proxies that speak HTTP. The requests of all their clients come over the same connections, so
// each request counts for the client that the proxy names.
extension HTTPConnection {
    /// Makes the connection the client's that a trusted proxy names.
    func actForClient(of head: RequestHead) throws(RequestRefusal) {
        guard isProxy else { return }
        let client: String?
        do throws(HTTPError) {
            client = try Forwarded.client(in: head.fields)
        } catch {
            throw RequestRefusal(error)
        }
        guard client != self.client || !hasClient else { return }
        dropSession()
        if let refusal = gateway.act(for: client) {
            throw RequestRefusal(ErrorMessage(.tooManyConnections, refusal))
        }
        (self.client, hasClient) = (client, true)
    }
}

extension HTTPConnection {
    /// Whether browsers use https, with the server itself or with a proxy before it.
    var isSecuredOutside: Bool { gateway.isSecured || gateway.isBehindTLS }
}

extension HTTPOptions {
    /// Whether a connection comes from a proxy that names its clients. One that a PROXY header
    /// describes is its client's own.
    func isProxy(_ gateway: GatewayConnection) -> Bool {
        gateway.address.map(proxies.contains) == true
    }
}
