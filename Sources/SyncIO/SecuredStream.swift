/// A stream that encrypts what another stream carries, as TLS does.
///
/// Nothing is received before the handshake is over, and what is written before is sent then.
package protocol SecuredStream: LayeredStream {
    /// Called when a step of the handshake is due. It may last a millisecond, so whoever set this
    /// chooses when to call ``continueHandshake()``. Without it, the step follows at once.
    var whenHandshakeIsDue: (() -> Void)? { get set }

    /// Does the step of the handshake that is due. Otherwise it does nothing.
    func continueHandshake()

    /// The other side's certificate, once the handshake is over; `nil` if it has shown none.
    var certificate: PeerCertificate? { get }
}

/// What a checked certificate says of who shows it.
package struct PeerCertificate: Sendable, Hashable {
    /// Its common name.
    package let name: String
    /// From when on it is valid, in seconds since 1970.
    package let begins: UInt64

    package init(name: String, begins: UInt64) {
        self.name = name
        self.begins = begins
    }
}

/// Secures the connections that a server accepts.
package protocol ServerSecurity: Sendable {
    /// Makes a secured stream of one that is not open yet. `open` begins the handshake.
    func secure(_ stream: any ByteStream, on loop: any EventLoop) -> any SecuredStream

    /// About how long the longest step of a handshake takes.
    var handshakeMicroseconds: Int { get }
}

extension EventLoop {
    /// Connects by `security`, or plainly without one.
    package func connect(
        to address: SocketAddress, by security: (any ClientSecurity)?,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        if let security {
            security.connect(to: address, on: self, completion: completion)
        } else {
            connect(to: address, completion: completion)
        }
    }
}

/// Makes the connections of a client, usually secured ones.
public protocol ClientSecurity: Sendable {
    /// Whether nobody on the way to the server can read what is sent. Unless a type says otherwise,
    /// it is.
    var isConfidential: Bool { get }

    /// Connects as ``EventLoop/connect(to:completion:)`` does, and ends the handshake before it
    /// calls `completion`.
    ///
    /// The failure is also ``IOError/untrusted(_:)`` if the other side does not prove to be who it
    /// should be, or does not trust this side.
    func connect(
        to address: SocketAddress, on loop: any EventLoop,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    )
}

extension ClientSecurity {
    /// Nobody can.
    public var isConfidential: Bool { true }
}
