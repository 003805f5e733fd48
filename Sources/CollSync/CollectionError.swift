import SyncClient
import SyncIO
public import SyncModel
import SyncWire

/// Why something could not be done.
///
/// `Protocol/errors.md` lists the codes of a server, ``/SyncModel/Rejection/Code`` those of refused
/// transactions. The client has these besides:
///
/// | code | meaning |
/// |---|---|
/// | `badAddress` | the address is not `HOST:PORT`, nor the URL of a WebSocket |
/// | `unreachable` | nobody answers there |
/// | `noWebSocket` | something answers at the URL, but it opens no WebSocket of a collsync server |
/// | `connectionLost` | the connection was lost |
/// | `untrusted` | the server does not prove to be who it should be, or does not trust the client |
/// | `needsTLS` | the server takes only connections by TLS, and the client's is plain |
/// | `speaksHTTP` | the address is that of a port for HTTP: its WebSocket has a URL, `ws://…` |
/// | `unsecured` | a token would be sent over a plain connection to another machine |
/// | `noToken` | the provider of tokens threw an error, took too long, or gave no token |
/// | `alreadyJoined` | the client is in that room already |
/// | `notHeld` | the room was joined for views only |
/// | `inFlight` | a transaction of that number is not answered yet |
/// | `badBatch` | a batch does not fit the client's content |
/// | `badViewUpdate` | an update does not fit what a view shows |
/// | `clientLimit` | something exceeds a limit of this client |
/// | `closed` | the client was closed, or has left the room |
///
/// In place of a server that is behind a URL, a proxy may answer: with `notAllowed` (statuses 401,
/// 403 and 407 of HTTP), or `unavailable` (408, 425, 429, and 500 and above). Once a client has
/// been connected, it tries again after each of them.
public struct CollectionError: Error, Sendable, Equatable {
    /// What is wrong, for programs: a stable name, such as `unreachable`, `roomNotFound` or
    /// `unknownItem`.
    public let code: String
    /// What is wrong and what to do, as a sentence for people.
    public let message: String
    /// Whether the same call may succeed later.
    public let retry: Bool
    /// How many milliseconds to wait before that at least, if the server says so; else 0.
    public let retryAfterMilliseconds: UInt32
    /// The refusal, if a transaction was refused; else `nil`. The transaction has changed nothing.
    public let rejection: Rejection?
    /// The transaction that ``CollectionRoom/submit(_:base:origin:allOrNothing:)`` sent, if it was
    /// refused; else `nil`.
    public let refused: RefusedTransaction?

    /// Makes an error that no transaction's refusal has caused.
    public init(code: String, message: String, retry: Bool = false) {
        self.code = code
        self.message = message
        self.retry = retry
        retryAfterMilliseconds = 0
        rejection = nil
        refused = nil
    }

    init(_ error: ClientError) {
        code = error.code
        message = error.message
        retry = error.retry
        retryAfterMilliseconds = error.retryAfterMilliseconds
        rejection = nil
        refused = nil
    }

    init(_ error: IOError) {
        self.init(ClientError.connection(error))
    }

    /// The code of everything that ends because the client was closed or has left the room.
    static let closedCode = ClientError.closed.code
    /// The code for a number whose transaction is not answered yet.
    package static let inFlight = "inFlight"

    /// The client can't do what its caller asks for.
    static func refused(_ code: ErrorCode, _ message: String) -> CollectionError {
        CollectionError(.refused(code: code.rawValue, message: message))
    }

    /// The caller's input is malformed.
    package static func malformed(_ message: String) -> CollectionError {
        CollectionError(.refused(code: Rejection.Code.malformed.name, message: message))
    }

    init(_ rejection: Rejection, of refused: RefusedTransaction? = nil) {
        self.refused = refused
        code = rejection.code.name
        message = rejection.message
        retry = rejection.code == .unavailable
        retryAfterMilliseconds = rejection.retryAfterMilliseconds
        self.rejection = rejection
    }
}

extension CollectionError: CustomStringConvertible {
    /// The sentence for people.
    public var description: String { message }
}
