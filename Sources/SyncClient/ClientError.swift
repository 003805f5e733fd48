package import SyncIO
import SyncModel
package import SyncWire

/// Why a client can't continue, for good or for now.
package enum ClientError: Error, Equatable, Sendable {
    /// The connection could not be made, or was lost.
    case connection(IOError)
    /// The server ended the connection without saying why.
    case hungUp
    /// The server answered the hello with an alert of TLS.
    case needsTLS
    /// The server speaks HTTP there.
    case speaksHTTP
    /// The client has a token, and others could read it on the way to the server.
    case plainToken
    /// There is no token to show. A program's own code and sentence may say why.
    case noToken(code: String, message: String, retry: Bool)
    /// The server did not answer the hello in time.
    case handshakeTimeout
    /// Nothing came from the server for several heartbeats.
    case silence
    /// What the server sent is not of this protocol.
    case broken(ErrorCode, String)
    /// The server says what is wrong, and how long to wait with a retry at least; 0 if it does not
    /// say that.
    case server(
        ErrorCode, message: String, retry: Bool, afterMilliseconds: UInt32 = 0)
    /// A batch does not fit the client's content.
    case batchDoesNotFit(ReplicaError)
    /// An update does not fit what a view shows.
    case viewUpdateDoesNotFit(ViewScreenError)
    /// The name can't be a room's.
    case badRoomName(String)
    /// The client is a member of that room already.
    case alreadyJoined(String)
    /// The client gets only views of the room.
    case notHeld
    /// The client refused a call without asking the server: a code for programs, and why.
    case refused(code: String, message: String)
    /// The server sent more than the client accepts: the limit's name and value.
    case exceeded(ClientLimits.Name, Int)
    /// The client was closed, or has left the room.
    case closed
}

extension ClientError {
    init(_ message: ErrorMessage) {
        self = .server(
            message.code, message: message.text.boundedSentence, retry: message.retry,
            afterMilliseconds: message.retryAfterMilliseconds)
    }

    /// There is no token now.
    static func noToken(_ message: String) -> ClientError {
        .noToken(code: "noToken", message: message, retry: true)
    }

    init(_ error: WireError) {
        switch error {
        case .broken(let code, let text): self = .broken(code, text)
        case .refused(_, let code, let text): self = .broken(code, text)
        case .refusedSubmit(_, _, let rejection): self = .broken(.badMessage, rejection.message)
        case .unknownMessage(let number): self = .broken(.badMessage, "unknown message \(number)")
        }
    }

    /// What is wrong, for programs: a stable name, the server's where the error comes from the
    /// server.
    package var code: String {
        switch self {
        case .connection(.badAddress): "badAddress"
        case .connection(.unreachable): "unreachable"
        case .connection(.untrusted): "untrusted"
        case .connection(.noWebSocket(let refusal)): refusal.reason.code
        case .connection, .hungUp: "connectionLost"
        case .needsTLS: "needsTLS"
        case .speaksHTTP: "speaksHTTP"
        case .plainToken: ErrorCode.unsecured.rawValue
        case .noToken(let code, _, _): code
        case .handshakeTimeout: ErrorCode.handshakeTimeout.rawValue
        case .silence: ErrorCode.heartbeatTimeout.rawValue
        case .broken(let code, _), .server(let code, _, _, _): code.rawValue
        case .batchDoesNotFit: "badBatch"
        case .viewUpdateDoesNotFit: "badViewUpdate"
        case .badRoomName: ErrorCode.badRoomName.rawValue
        case .alreadyJoined: "alreadyJoined"
        case .notHeld: "notHeld"
        case .refused(let code, _): code
        case .exceeded: "clientLimit"
        case .closed: "closed"
        }
    }

    /// What is wrong and what to do, for people.
    package var message: String {
        switch self {
        case .connection(let error): error.description
        case .hungUp: "the server closed the connection"
        case .needsTLS: "the server takes only connections by TLS"
        case .speaksHTTP: "the server speaks HTTP there, and no frames"
        case .plainToken: "a token is only sent by TLS, or to this machine"
        case .noToken(_, let message, _): message
        case .handshakeTimeout: "the server did not answer; is it a collsync server?"
        case .silence: "nothing came from the server for several heartbeats"
        case .broken(_, let text): "the server broke the protocol: \(text)"
        case .server(_, let message, _, _): message
        case .batchDoesNotFit(let error):
            "a batch does not fit the client's content (\(error)); the client gets a new snapshot"
        case .viewUpdateDoesNotFit(let error):
            "an update does not fit a view's screen (\(error)); the client opens the view anew"
        case .badRoomName(let name):
            "'\(name)' can't be a room's name: that has 1 to 128 bytes, no / or control characters"
        case .alreadyJoined(let room): "the client is in \(room) already"
        case .notHeld: "the client gets only views of the room, and not its content"
        case .refused(_, let message): message
        case .exceeded(let limit, let most):
            "that exceeds this client's limit: \(limit.rawValue) is \(most)"
        case .closed: "the client was closed"
        }
    }

    /// Whether the same call may succeed later, unchanged.
    package var retry: Bool {
        switch self {
        case .connection(.badAddress), .badRoomName, .alreadyJoined, .notHeld, .refused, .exceeded,
            .closed, .plainToken:
            false
        case .connection, .hungUp, .needsTLS, .speaksHTTP, .handshakeTimeout, .silence: true
        case .batchDoesNotFit, .broken, .viewUpdateDoesNotFit: true
        case .server(_, _, let retry, _), .noToken(_, _, let retry): retry
        }
    }

    /// How long a retry should wait at least, as the server says; 0 if it does not.
    package var retryAfterMilliseconds: UInt32 {
        switch self {
        case .server(_, _, _, let wait): wait
        case .connection(.noWebSocket(let refusal)): refusal.retryAfterMilliseconds
        default: 0
        }
    }
}

extension WebSocketRefusal.Reason {
    /// The code of the error. Where a server's own error means the same, it is that one.
    fileprivate var code: String {
        switch self {
        case .needsTLS: ClientError.needsTLS.code
        case .notAllowed: ErrorCode.notAllowed.rawValue
        case .unavailable: ErrorCode.unavailable.rawValue
        case .notOffered: "noWebSocket"
        }
    }
}
