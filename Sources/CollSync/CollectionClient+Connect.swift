import SyncClient
public import SyncIO

extension CollectionClient {
    /// Connects to a server with any platform, for example one of your own: see `SyncIO`.
    /// `CollSyncUV` has a `connect` that uses libuv.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`; an IPv6 address stands in brackets.
    ///   - agent: the program's name and version, for the server's logs.
    ///   - maximumRoomBytes: the largest room that the client accepts, in bytes. A larger one ends
    ///     with `clientLimit`, so that no server makes the client's memory grow without bound. A
    ///     number below 0 counts as 0.
    ///   - security: makes the connection, as `TLSClient` of `SyncTLS` does; `nil` for a plain
    ///     one.
    ///   - token: proves who the client is, if the server asks for that; at most 8 KiB. When it has
    ///     expired, the client is closed with `tokenExpired`.
    ///   - sendsTokenInClear: whether the token is also sent over a plain connection to another
    ///     machine. Everybody on the way can read it there.
    ///   - platform: runs the client's loop, until the client is closed.
    /// - Throws: why there is no connection: `badAddress`, `unreachable`, `connectionLost`,
    ///   `untrusted`, `needsTLS`, `unsecured`, `noToken`, `handshakeTimeout`, or the server's code.
    ///   After the first connection the client reconnects by itself, with growing delays, until
    ///   ``close()`` or until the server refuses its token.
    public static func connect(
        to address: String, agent: String = "CollSync", maximumRoomBytes: Int = 1 << 30,
        security: (any ClientSecurity)? = nil, token: String? = nil,
        sendsTokenInClear: Bool = false, platform: any Platform
    ) async throws(CollectionError) -> CollectionClient {
        var options = try CollectionClient.options(
            address, agent: agent, maximumRoomBytes: maximumRoomBytes, security: security)
        options.token = token.map { FixedToken($0) }
        options.sendsTokenInClear = sendsTokenInClear
        return try await connect(options, platform: platform)
    }

    /// Connects to a server with any platform, and with tokens that expire.
    ///
    /// The client renews its token before that expires, without a new connection. If it can't, the
    /// server closes the connection; the client reconnects with a new token, and nothing is lost.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`; an IPv6 address stands in brackets.
    ///   - agent: the program's name and version, for the server's logs.
    ///   - maximumRoomBytes: the largest room that the client accepts, in bytes.
    ///   - security: secures the connection; `nil` for a plain one.
    ///   - sendsTokenInClear: whether tokens are also sent over a plain connection to another
    ///     machine.
    ///   - platform: runs the client's loop, until the client is closed.
    ///   - token: provides a token. It is called for each connection and each renewal, at most once
    ///     a second, and never while an earlier call has not returned. A call that takes more than
    ///     ten seconds is cancelled. If it throws, it is called again later, except for the first
    ///     connection. A ``CollectionError`` without ``CollectionError/retry`` closes the client.
    ///     No other error is quoted, since that could contain a secret.
    /// - Throws: as the function above, or the ``CollectionError`` that `token` throws.
    public static func connect(
        to address: String, agent: String = "CollSync", maximumRoomBytes: Int = 1 << 30,
        security: (any ClientSecurity)? = nil, sendsTokenInClear: Bool = false,
        platform: any Platform, token: @escaping @Sendable () async throws -> String
    ) async throws(CollectionError) -> CollectionClient {
        var options = try CollectionClient.options(
            address, agent: agent, maximumRoomBytes: maximumRoomBytes, security: security)
        options.token = ProvidedTokens(provide: token)
        options.sendsTokenInClear = sendsTokenInClear
        return try await connect(options, platform: platform)
    }

    private static func options(
        _ address: String, agent: String, maximumRoomBytes: Int, security: (any ClientSecurity)?
    ) throws(CollectionError) -> SessionOptions {
        let parsed = try ServerAddress(parsing: address)
        guard parsed.door == .frames else {
            throw .badAddress("this client has no WebSockets of its own; CollSyncUV has")
        }
        var options = SessionOptions(address: parsed.socket, agent: agent)
        options.limits.roomBytes = max(maximumRoomBytes, 0)
        options.security = security
        return options
    }
}
