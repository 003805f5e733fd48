import CollSync
import SyncIO
import SyncTLS
import SyncWebSocket

extension ServerAddress {
    /// What makes the connections to this server; `nil` for plain ones.
    ///
    /// - Parameter tls: secures them. A WebSocket by TLS without it trusts what the system trusts.
    func security(by tls: TLSClient?) throws(CollectionError) -> (any ClientSecurity)? {
        guard case .webSocket(let door) = door else { return tls }
        guard door.isSecured else {
            guard tls == nil else {
                throw .badAddress("ws:// is a plain connection; write wss:// for one by TLS")
            }
            return WebSocketClient(target: door.target, host: door.host)
        }
        return WebSocketClient(
            target: door.target, host: door.host, by: try ServerAddress.forHTTP(tls))
    }

    private static func forHTTP(_ tls: TLSClient?) throws(CollectionError) -> TLSClient {
        if let tls { return tls.speaking(.http) }
        do throws(TLSError) {
            return try TLSClient(for: .http)
        } catch {
            throw CollectionError(code: "untrusted", message: error.description)
        }
    }
}
