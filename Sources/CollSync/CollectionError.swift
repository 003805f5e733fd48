import SyncClient
import SyncIO
public import SyncModel
import SyncWire

/// Why something could not be done.
public struct CollectionError: Error, Sendable, Equatable {
    /// What is wrong, for programs: a stable name such as `unreachable`, `roomNotFound` or
    /// `unknownItem`.
    public let code: String
    /// What is wrong and what to do, for people.
    public let message: String
    /// Whether the same may succeed later, unchanged.
    public let retry: Bool
    /// The refusal of a transaction, if it is one: the transaction has changed nothing.
    public let rejection: Rejection?
    /// The transaction that was refused, if one was.
    public let refused: RefusedTransaction?

    init(_ error: ClientError) {
        code = error.code
        message = error.message
        retry = error.retry
        rejection = nil
        refused = nil
    }

    init(_ error: IOError) {
        self.init(ClientError.connection(error))
    }

    /// The code of what ends since the client was closed or has left.
    static let closedCode = ClientError.closed.code
    /// The code for a number whose transaction is not answered yet.
    package static let inFlight = "inFlight"

    /// The client can't do what it is asked to.
    static func refused(_ code: ErrorCode, _ message: String) -> CollectionError {
        CollectionError(.refused(code: code.rawValue, message: message))
    }

    /// What the client is given has no meaning.
    package static func malformed(_ message: String) -> CollectionError {
        CollectionError(.refused(code: Rejection.Code.malformed.name, message: message))
    }

    init(_ rejection: Rejection, of refused: RefusedTransaction? = nil) {
        self.refused = refused
        code = rejection.code.name
        message = rejection.message
        retry = rejection.code == .unavailable
        self.rejection = rejection
    }
}

extension CollectionError: CustomStringConvertible {
    /// The sentence for people.
    public var description: String { message }
}
