@_exported public import CollSync
import SyncClient
import SyncIO
import SyncLoop
public import SyncTLS

extension CollectionClient {
    /// Connects to a server, with a libuv loop on a thread of its own.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`; an IPv6 address stands in brackets.
    ///   - agent: the program's name and version, for the server's logs.
    ///   - maximumRoomBytes: the largest room that the client accepts, in bytes. A larger one ends
    ///     with `clientLimit`, so that no server makes the client's memory grow without bound.
    ///   - tls: secures the connection; `nil` for a plain one.
    /// - Throws: why there is no connection: `badAddress`, `unreachable`, `connectionLost`,
    ///   `untrusted`, `needsTLS`, `handshakeTimeout`, or the server's code. After the first
    ///   connection the client reconnects by itself, with growing delays, until
    ///   ``CollectionClient/close()``.
    public static func connect(
        to address: String, agent: String = "CollSync", maximumRoomBytes: Int = 1 << 30,
        tls: TLSClient? = nil
    ) async throws(CollectionError) -> CollectionClient {
        try await connect(
            to: address, agent: agent, maximumRoomBytes: maximumRoomBytes, security: tls,
            platform: LoopPlatform())
    }
}
