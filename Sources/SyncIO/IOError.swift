/// What can go wrong with connections, ports and threads.
public enum IOError: Error, Equatable, Sendable, CustomStringConvertible {
    /// This text is not `HOST:PORT`.
    case badAddress(String)
    /// Another program uses this address.
    case addressInUse(String)
    /// No connection could be made. The text says to what and why.
    case unreachable(String)
    /// Something answers, but it opens no WebSocket.
    case noWebSocket(WebSocketRefusal)
    /// The connection broke. The text says why.
    case connectionLost(String)
    /// The other side is not who it should be, or does not trust this side. The text says why.
    case untrusted(String)
    /// The system refused something else. The text says what and why.
    case system(String)

    /// What is wrong, for people: a sentence without a full stop.
    public var description: String {
        switch self {
        case .badAddress(let text): "'\(text)' is not an address; write HOST:PORT"
        case .addressInUse(let address): "\(address) is in use by another program"
        case .unreachable(let what): "cannot connect: \(what)"
        case .noWebSocket(let refusal): "cannot connect: \(refusal.text)"
        case .connectionLost(let what): "connection lost: \(what)"
        case .untrusted(let what): "the connection can't be trusted: \(what)"
        case .system(let what): what
        }
    }
}
