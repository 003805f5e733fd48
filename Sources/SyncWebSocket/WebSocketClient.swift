import SyncHTTPCodec
package import SyncIO

/// Makes the connections of a client WebSockets, over TLS or not. It takes the place of what
/// secures a connection, which it uses itself.
package final class WebSocketClient: ClientSecurity {
    private let target: String
    private let host: String?
    private let kind: WebSocketProtocol
    private let security: (any ClientSecurity)?

    /// - Parameters:
    ///   - target: the path of the WebSocket, as in `/v1/socket`.
    ///   - host: the name that the server is asked for, if it is another one than its address.
    ///   - security: secures the connection below (`wss`); `nil` for a plain one (`ws`).
    package init(
        target: String, host: String? = nil, _ kind: WebSocketProtocol = .bytes,
        by security: (any ClientSecurity)? = nil
    ) {
        self.target = target
        self.host = host
        self.kind = kind
        self.security = security
    }

    /// A mask of WebSockets is sent with what it masks, so it hides nothing.
    package var isConfidential: Bool { security?.isConfidential == true }

    /// Connects, and ends the handshake, which may take ten seconds.
    ///
    /// The failure is ``IOError/noWebSocket(_:)`` if the server does not agree, and
    /// ``IOError/unreachable(_:)`` if it does not answer; the text says what it does.
    package func connect(
        to address: SocketAddress, on loop: any EventLoop,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        loop.connect(to: address, by: security) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let stream):
                let handshake = ClientHandshake(kind, random: loop.random)
                let request = handshake.request(for: target, at: host ?? address.description)
                ClientUpgrade(stream, handshake, kind, loop: loop, completion).begin(request)
            }
        }
    }
}
