@_exported public import CollSync
import SyncClient
import SyncIO
import SyncLoop
public import SyncTLS

extension CollectionClient {
    /// Connects to a server, with a libuv loop on a thread of its own.
    ///
    ///     let client = try await CollectionClient.connect(to: "127.0.0.1:7420")
    ///     let remote = try await CollectionClient.connect(to: "wss://sync.example.org")
    ///
    /// Without a port, `ws` stands for port 80 and `wss` for 443; without a path, a URL stands for
    /// `/v1/ws`.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`, or the URL of a server's WebSocket: `ws://HOST` or `wss://HOST`,
    ///     perhaps with a port and a path. An IPv6 address stands in brackets.
    ///   - agent: the program's name and version, for the server's logs.
    ///   - maximumRoomBytes: the largest room that the client accepts, in bytes. A larger one ends
    ///     with `clientLimit`, so that no server makes the client's memory grow without bound.
    ///   - tls: secures the connection; `nil` for a plain one, or by `wss` for one that trusts what
    ///     the system trusts.
    ///   - token: proves who the client is, if the server asks for that; at most 8 KiB. When it has
    ///     expired, the client is closed with `tokenExpired`.
    ///   - sendsTokenInClear: whether the token is also sent over a plain connection to another
    ///     machine. Everybody on the way can read it there.
    /// - Throws: why there is no connection: `badAddress`, `unreachable`, `connectionLost`,
    ///   `untrusted`, `needsTLS`, `noWebSocket`, `unsecured`, `noToken`, `handshakeTimeout`, or the
    ///   server's code.
    ///   After the first connection the client reconnects by itself, with growing delays, until
    ///   ``CollectionClient/close()`` or until the server refuses its token.
    public static func connect(
        to address: String, agent: String = "CollSync", maximumRoomBytes: Int = 1 << 30,
        tls: TLSClient? = nil, token: String? = nil, sendsTokenInClear: Bool = false
    ) async throws(CollectionError) -> CollectionClient {
        let server = try ServerAddress(parsing: address)
        return try await connect(
            to: server.socket.description, agent: agent, maximumRoomBytes: maximumRoomBytes,
            security: try server.security(by: tls), token: token,
            sendsTokenInClear: sendsTokenInClear, platform: LoopPlatform())
    }

    /// Connects to a server with tokens that expire. The client renews its token before that
    /// expires.
    ///
    ///     let client = try await CollectionClient.connect(to: "sync.example.org:7420", tls: tls) {
    ///         try await account.freshToken()
    ///     }
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`, or the URL of a server's WebSocket: `ws://HOST` or `wss://HOST`,
    ///     perhaps with a port and a path. An IPv6 address stands in brackets.
    ///   - agent: the program's name and version, for the server's logs.
    ///   - maximumRoomBytes: the largest room that the client accepts, in bytes.
    ///   - tls: secures the connection; `nil` for a plain one, or by `wss` for one that trusts what
    ///     the system trusts.
    ///   - sendsTokenInClear: whether tokens are also sent over a plain connection to another
    ///     machine.
    ///   - token: provides a token. It is called for each connection and each renewal, at most once
    ///     a second, and never while an earlier call has not returned. A call that takes more than
    ///     ten seconds is cancelled. If it throws, it is called again later, except for the first
    ///     connection. A ``CollectionError`` without ``CollectionError/retry`` closes the client.
    ///     No other error is quoted, since that could contain a secret.
    /// - Throws: as the other `connect`, or the ``CollectionError`` that `token` throws.
    public static func connect(
        to address: String, agent: String = "CollSync", maximumRoomBytes: Int = 1 << 30,
        tls: TLSClient? = nil, sendsTokenInClear: Bool = false,
        token: @escaping @Sendable () async throws -> String
    ) async throws(CollectionError) -> CollectionClient {
        let server = try ServerAddress(parsing: address)
        return try await connect(
            to: server.socket.description, agent: agent, maximumRoomBytes: maximumRoomBytes,
            security: try server.security(by: tls), sendsTokenInClear: sendsTokenInClear,
            platform: LoopPlatform(), token: token)
    }
}
