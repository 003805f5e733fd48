import ArgumentParser
import SyncHTTP
import SyncIO
import SyncTLS

/// Whether and where the server speaks HTTP.
struct HTTPOptionGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The address to speak HTTP and WebSocket on, as HOST:PORT (default: port 7421 of this machine; if --listen is \
            given, the port after that one; none beside a socket of a service manager).
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
            https://example.com. Can be repeated.
            """,
            valueName: "origin"))
    var httpOrigin: [String] = []

    func validate() throws {
        guard http == nil || !noHttp else {
            throw ValidationError("--http and --no-http contradict each other")
        }
        do {
            if let http { _ = try SocketAddress(parsing: http) }
        } catch {
            throw ValidationError("--http: \(error)")
        }
    }

    /// The address to listen on; `nil` if HTTP is not spoken. A service manager that has opened the
    /// other port may not let the server open any.
    ///
    /// - Parameter listen: the address for the protocol's own clients; `nil` if a service manager
    ///   has opened their port.
    func address(beside listen: SocketAddress?) throws(IOError) -> SocketAddress? {
        if noHttp { return nil }
        if let http { return try SocketAddress(parsing: http) }
        guard let listen else { return nil }
        let port = listen.port == 0 || listen.port == .max ? 0 : listen.port + 1
        return SocketAddress(host: "127.0.0.1", port: port)
    }

    /// The gateway; `nil` if HTTP is not spoken.
    func gateway(beside listen: SocketAddress?, _ security: TLSServer?) throws(IOError)
        -> HTTPGateway?
    {
        guard let address = try address(beside: listen) else { return nil }
        var options = HTTPOptions()
        options.origins = Set(httpOrigin)
        return HTTPGateway(
            at: address, isOptional: http == nil, security: security?.forHTTP, options: options)
    }
}
