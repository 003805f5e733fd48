package import SyncIO
package import SyncWire

/// How a session behaves.
package struct SessionOptions: Sendable {
    package var address: SocketAddress
    /// Makes the connection, usually a secured one; `nil` for a plain one.
    package var security: (any ClientSecurity)?
    /// Where tokens come from; `nil` if the client shows none.
    package var token: (any TokenSource)?
    /// Whether tokens are also sent over plain connections to other machines, where others may read
    /// them.
    package var sendsTokenInClear = false
    /// The program's name and version, for the server's logs.
    package var agent: String
    /// The features that the client asks for.
    package var features = Features.all
    /// How long the server may take to answer the hello, and the source to give a token.
    package var handshakeMilliseconds: UInt64 = 10_000
    package var backOff = BackOff()
    /// How long to wait before a token is renewed that could not be renewed.
    package var renewalBackOff = BackOff(initialMilliseconds: 1_000, maximumMilliseconds: 60_000)
    /// How long to wait before transactions are resent that the server could not take.
    package var refusedRetryMilliseconds: UInt64 = 500
    /// How many bytes of transactions may be buffered for the connection.
    package var maximumBufferedBytes = 1 << 20
    /// How much memory the server can make the client use.
    package var limits = ClientLimits()

    package init(address: SocketAddress, agent: String = "") {
        self.address = address
        self.agent = agent
    }
}
