import SyncBytes
import SyncHTTPCodec
package import SyncIO
package import SyncServer
package import SyncWire

/// The server's rooms over HTTP and WebSocket, or its metrics over HTTP, on a port of their own.
///
/// For rooms it is a translator: what a request asks for is asked of a session in the protocol's
/// own messages. So tokens, roles, limits and accounts are the same as for clients of the protocol.
package struct HTTPGateway: Gateway {
    package let address: SocketAddress
    package let port: (any OpenPort)?
    package let isOptional: Bool
    package let security: (any ServerSecurity)?
    private let options: HTTPOptions

    /// - Parameter port: an open port to listen on in place of the address.
    package init(
        at address: SocketAddress, on port: (any OpenPort)? = nil, isOptional: Bool = false,
        security: (any ServerSecurity)? = nil,
        options: HTTPOptions = HTTPOptions()
    ) {
        self.address = address
        self.port = port
        self.isOptional = isOptional
        self.security = security
        self.options = options
    }

    package var purpose: GatewayPurpose { options.service.purpose }

    package func isProxy(_ address: NetworkAddress) -> Bool { options.proxies.contains(address) }

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
    /// What is answered at the port.
    package var service = HTTPService.rooms
    /// The origins of pages, beside the server's own, that may open WebSockets and read answers, as
    /// browsers name them: `https://example.com`.
    package var origins: [String] = []
    /// Whether only programs of this machine may use the port. If it asks nobody for a token, it
    /// takes requests by the names of this machine and by those in ``origins`` alone.
    package var isForThisMachine = false
    /// The proxies whose field `Forwarded` names the client of each request.
    package var proxies = TrustedAddresses.none

    package init() {}
}

/// What is answered at a port, beside whether the server lives and is ready.
package enum HTTPService: Sendable {
    case rooms
    /// The server's metrics alone. No session is opened, and nobody needs a token.
    ///
    /// - Parameter process: what the process uses, for its metrics. Is called on any thread.
    case metrics(process: @Sendable () -> ProcessFigures?)

    var purpose: GatewayPurpose {
        switch self {
        case .rooms: .clients
        case .metrics: .monitoring
        }
    }

    /// The routes of the port. What is none of them is not found there.
    var routes: [Route] {
        switch self {
        case .rooms: HTTPService.routesOfRooms
        case .metrics: HTTPService.routesOfMetrics
        }
    }

    private static let routesOfRooms = Route.allCases.filter { $0 != .metrics }
    private static let routesOfMetrics: [Route] = [.health, .readiness, .metrics]
}
