/// The protocol inside TLS, for application-layer protocol negotiation (RFC 7301). A port speaks
/// one of them, so that nobody can have one taken for the other.
public enum ApplicationProtocol: Int, Sendable, CaseIterable {
    /// The frames of collsync.
    case frames
    /// HTTP/1.1, and WebSockets in it.
    case http

    /// The registered name; `collsync` is not registered.
    var name: [UInt8] {
        switch self {
        case .frames: Array("collsync".utf8)
        case .http: Array("http/1.1".utf8)
        }
    }
}
