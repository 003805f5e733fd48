import SyncHTTPCodec
import SyncServer
import SyncWire

// Proxies that speak HTTP. The requests of all their clients come over the same connections, so
// each request counts for the client that the proxy names.
extension HTTPConnection {
    /// Makes the connection the client's that a trusted proxy names.
    ///
    /// - Parameter bytes: what has come for the request until now.
    func actForClient(of head: RequestHead, bytes: Int) throws(RequestRefusal) {
        guard isProxy else { return }
        let client: String?
        do throws(HTTPError) {
            client = try Forwarded.client(in: head.fields)
        } catch {
            throw RequestRefusal(error)
        }
        if client != self.client || !hasClient {
            dropSession()
            if let refusal = gateway.act(for: client) {
                throw RequestRefusal(ErrorMessage(.tooManyConnections, refusal))
            }
            (self.client, hasClient) = (client, true)
        }
        // To read no more for a while would stop the requests of others.
        let wait = gateway.charge(bytes: bytes, requests: 1)
        guard wait == 0 else {
            throw RequestRefusal(
                ErrorMessage(
                    .addressLimit, "this address sends more in a second than it may",
                    retryAfterMilliseconds: UInt32(clamping: wait)))
        }
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
