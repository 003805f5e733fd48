/// Why no WebSocket was opened, though something answers at the address: the server itself, a proxy
/// before it, or another program.
public struct WebSocketRefusal: Error, Equatable, Sendable {
    /// What is in the way.
    public enum Reason: Sendable, CaseIterable {
        /// It takes only connections by TLS, and this one is plain.
        case needsTLS
        /// It does not admit this client.
        case notAllowed
        /// It can't take the connection now.
        case unavailable
        /// It has no such WebSocket.
        case notOffered
    }

    /// What is in the way, for programs.
    public var reason: Reason
    /// Who answers, and what, for people: a sentence without a full stop.
    public var text: String
    /// How long to wait before another attempt at least, if the answer says so; else 0.
    public var retryAfterMilliseconds: UInt32

    /// Makes a refusal of its parts.
    public init(_ reason: Reason, _ text: String, retryAfterMilliseconds: UInt32 = 0) {
        self.reason = reason
        self.text = text
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }
}
