import SyncBytes
import SyncHTTPCodec

/// A client's side of the handshake (RFC 6455, 4.1): its request, and what the answer must be.
struct ClientHandshake {
    private let kind: WebSocketProtocol
    private let key: HandshakeKey

    init(_ kind: WebSocketProtocol, random: () -> UInt64) {
        self.kind = kind
        key = HandshakeKey(random: random)
    }

    /// - Parameters:
    ///   - target: the path of the WebSocket.
    ///   - host: the server's name, with its port.
    func request(for target: String, at host: String) -> RequestHead {
        RequestHead(
            method: "GET", target: target,
            fields: HTTPFields([
                "Host": host, "Upgrade": "websocket", "Connection": "Upgrade",
                "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key.text,
                "Sec-WebSocket-Protocol": kind.rawValue,
            ]))
    }

    /// What is wrong with an answer whose status is 101; `nil` if nothing is.
    func complaint(about fields: HTTPFields) -> String? {
        guard fields.value(of: "Upgrade")?.isSame(ignoringCaseOf: "websocket") == true,
            fields.list(of: "Connection", has: "upgrade")
        else { return "it switches to another protocol" }
        guard fields.value(of: "Sec-WebSocket-Accept")?.isSame(as: key.answer) == true else {
            return "its answer belongs to another request"
        }
        // None was asked for.
        guard !fields.has("Sec-WebSocket-Extensions") else {
            return "it chooses an extension that was not offered"
        }
        guard fields.value(of: "Sec-WebSocket-Protocol")?.isSame(as: kind.rawValue) == true else {
            return "it does not speak \(kind.rawValue)"
        }
        return nil
    }
}
