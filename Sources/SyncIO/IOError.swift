/// What can go wrong with the world outside.
public enum IOError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is not `HOST:PORT`.
    case badAddress(String)
    /// The address is in use by another program.
    case addressInUse(String)
    /// Nobody answers there.
    case unreachable(String)
    /// The other side broke the connection off.
    case connectionLost(String)
    /// The system refused something else.
    case system(String)

    /// What is wrong, for people.
    public var description: String {
        switch self {
        case .badAddress(let text): "'\(text)' is not an address; write HOST:PORT"
        case .addressInUse(let address): "\(address) is in use by another program"
        case .unreachable(let what): "cannot connect: \(what)"
        case .connectionLost(let what): "connection lost: \(what)"
        case .system(let what): what
        }
    }
}
