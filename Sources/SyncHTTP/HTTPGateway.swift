import SyncBytes
import SyncHTTPCodec
package import SyncIO
package import SyncServer
package import SyncWire

/// The server's rooms over HTTP and WebSocket, on a port of their own.
///
/// It is a translator: what a request asks for is asked of a session in the protocol's own
/// messages. So tokens, roles, limits and accounts are the same as for clients of the protocol.
package struct HTTPGateway: Gateway {
    package let address: SocketAddress
    package let isOptional: Bool
    package let security: (any ServerSecurity)?
    private let options: HTTPOptions

    package init(
        at address: SocketAddress, isOptional: Bool = false,
        security: (any ServerSecurity)? = nil,
        options: HTTPOptions = HTTPOptions()
    ) {
        self.address = address
        self.isOptional = isOptional
        self.security = security
        self.options = options
    }

    package func accept(_ connection: GatewayConnection) -> any GatewayHandler {
        HTTPConnection(connection, options)
    }

    package func refusal(_ error: ErrorMessage) -> SharedBytes {
        var output = HTTPOutput()
        output.begin(nil)
        output.add(.error(error))
        return output.takeAll()
    }
}

/// What a gateway for HTTP allows.
package struct HTTPOptions: Sendable {
    /// The origins of pages, beside the server's own, that may open WebSockets and read answers, as
    /// browsers name them: `https://example.com`.
    package var origins: Set<String> = []

    package init() {}
}
