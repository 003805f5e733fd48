package import SyncBytes
package import SyncIO
package import SyncWire

/// Translates another protocol into the server's own: it has a port of its own, and opens sessions
/// for the connections that come there.
///
/// The server accepts these connections as it accepts clients: they count for the same accounts,
/// and proxies name their addresses in the same way. What a client asks for by a gateway is asked
/// by a session, so whatever limits or refuses the one does so with the other.
package protocol Gateway: Sendable {
    /// The address to listen on.
    var address: SocketAddress { get }
    /// An open port to listen on in place of the address.
    var port: (any OpenPort)? { get }
    /// Whom it is for.
    var purpose: GatewayPurpose { get }
    /// Whether the server begins without it if the address is in use, as nobody has asked for it.
    var isOptional: Bool { get }
    /// Secures connections; `nil` if they are plain.
    var security: (any ServerSecurity)? { get }

    /// Whether connections from an address are a proxy's, which names the client of each request
    /// (``GatewayConnection/act(for:)``). They count for no address before that.
    func isProxy(_ address: NetworkAddress) -> Bool

    /// Takes over a connection, on its loop.
    func accept(_ connection: GatewayConnection) -> any GatewayHandler

    /// What a connection gets that is refused.
    func refusal(_ error: ErrorMessage) -> SharedBytes
}

extension Gateway {
    package var port: (any OpenPort)? { nil }
    package var purpose: GatewayPurpose { .clients }
}

/// Whom a gateway is for.
package enum GatewayPurpose: Sendable {
    case clients
    /// Programs that watch the server, such as Prometheus. Their connections have places of their
    /// own (``mostMonitors``), so that the server can still be watched when clients have taken all
    /// of theirs. They do not count among the connections of the metrics, and no proxy is before
    /// them, so they have no PROXY headers.
    case monitoring

    /// How many connections of programs that watch the server may be open.
    package static let mostMonitors = 16
}

/// Handles a connection of a gateway. The server opens the connection's stream with it.
///
/// It does its work within ``GatewayConnection/perform(_:)``.
package protocol GatewayHandler: ByteStreamHandler {
    /// The memory that it uses, in bytes.
    var memoryBytes: Int { get }

    /// Called about once a second, or more often, for timeouts.
    ///
    /// - Parameter listened: the time of a clock in milliseconds that runs only while the loop can
    ///   read from its connections, so that it measures their silence.
    func watch(listened: UInt64)

    /// The connection uses more memory than it may, or the server goes down. The handler has the
    /// connection closed soon.
    func end(_ error: ErrorMessage)
}
