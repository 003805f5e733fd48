import ArgumentParser
import SyncHTTP
import SyncIO
import SyncLoop
import SyncServer
import SyncTLS
import SyncTerminal

/// Whether and where the server speaks HTTP.
struct HTTPOptionGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The address to speak HTTP and WebSocket on, as HOST:PORT (default: port 7421 of this machine; if --listen is \
            given, the port after that one; none beside a socket of a service manager). A socket that a service manager \
            has opened with the name collsync-http is used in place of it.
            """,
            valueName: "address"))
    var http: String?

    @Flag(help: "Speak neither HTTP nor WebSocket.")
    var noHttp = false

    @Option(
        name: .customLong("http-origin"),
        help: ArgumentHelp(
            """
            An origin whose pages may use HTTP and WebSocket in browsers, beside the server's own, such as \
            https://example.com. Can be repeated. A server of this machine that asks for no tokens is reached by the \
            names of these origins, by localhost and by loopback addresses alone.
            """,
            valueName: "origin"))
    var httpOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            The address to answer GET /metrics on, for Prometheus, as HOST:PORT; by default the server serves no metrics. \
            Whoever reaches it needs no token and no TLS, so use an address of this machine, such as 127.0.0.1:7422.
            """,
            valueName: "address"))
    var metrics: String?

    @Option(
        help: ArgumentHelp(
            """
            Addresses of proxies that speak HTTP, as ranges with commas between them: each request counts for the \
            client that the last element of the field Forwarded names. Only proxies that set this field themselves \
            may be among them.
            """,
            valueName: "ranges"))
    var trustProxy = TrustedAddresses.none

    func validate() throws {
        guard http == nil || !noHttp else {
            throw ValidationError("--http and --no-http contradict each other")
        }
        for (flag, address) in [("--http", http), ("--metrics", metrics)] {
            do {
                if let address { _ = try SocketAddress(parsing: address) }
            } catch {
                throw ValidationError("\(flag): \(error)")
            }
        }
    }

    /// The address to listen on; `nil` if HTTP is not spoken. A service manager that has opened
    /// another port may not let the server open any.
    ///
    /// - Parameter listen: the address for the protocol's own clients.
    func address(
        beside listen: SocketAddress, _ ports: InheritedPorts
    ) throws(IOError) -> SocketAddress? {
        if noHttp { return nil }
        if let port = ports.http { return port.address }
        if let http { return try SocketAddress(parsing: http) }
        guard ports.clients == nil else { return nil }
        let port = listen.port == 0 || listen.port == .max ? 0 : listen.port + 1
        return SocketAddress(host: "127.0.0.1", port: port)
    }

    private func metricsAddress(_ ports: InheritedPorts) throws(IOError) -> SocketAddress? {
        if let port = ports.metrics { return port.address }
        if let metrics { return try SocketAddress(parsing: metrics) }
        return nil
    }

    /// The gateways for rooms and for metrics, if there are any.
    ///
    /// - Parameter isOpen: whether everyone may use the rooms who reaches them, from anywhere.
    func gateways(
        beside listen: SocketAddress, _ ports: InheritedPorts, _ security: TLSServer?, isOpen: Bool
    ) throws(IOError) -> [HTTPGateway] {
        var gateways: [HTTPGateway] = []
        if let address = try address(beside: listen, ports) {
            var options = HTTPOptions()
            options.origins = httpOrigin
            options.proxies = trustProxy
            options.isForThisMachine = address.isLoopback || !isOpen
            gateways.append(
                HTTPGateway(
                    at: address, on: ports.http, isOptional: http == nil,
                    security: security?.forHTTP, options: options))
        }
        if let address = try metricsAddress(ports) {
            var options = HTTPOptions()
            options.service = .metrics { LoopPlatform.processFigures }
            options.isForThisMachine = address.isLoopback
            gateways.append(HTTPGateway(at: address, on: ports.metrics, options: options))
        }
        return gateways
    }

    /// What the server prints of the gateways when it is ready.
    ///
    /// - Parameter addresses: where they listen, in their order; `nil` for one that does not.
    func lines(
        for gateways: [HTTPGateway], at addresses: [SocketAddress?], isSecured: Bool
    ) -> [TerminalText] {
        zip(gateways, addresses).compactMap { gateway, address in
            guard let address else { return nil }
            return switch gateway.purpose {
            case .clients: "HTTP is on \(isSecured ? "https" : "http")://\(address)"
            case .monitoring: "Metrics are on http://\(address)/metrics"
            }
        }
    }
}
