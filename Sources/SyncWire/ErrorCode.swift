/// What is wrong with a connection, a request or a room, for programs. Names and numbers are
/// stable.
package enum ErrorCode: String, Sendable, CaseIterable {
    /// A code of a newer program. The message says whether a retry may help.
    case unknown
    /// The bytes are not frames, or a deflated one can't be inflated.
    case badFrame
    /// A frame is longer than the limit, or would inflate to more.
    case frameTooLarge
    /// A frame does not contain a message that the protocol allows.
    case badMessage
    /// The first message is not a hello of this protocol.
    case badHandshake
    /// The versions of the two sides do not meet.
    case unsupportedVersion
    /// The message, or what it asks for, is not offered here.
    case unsupported
    /// The room's handle is not one that this connection has joined.
    case unknownRoom
    /// There is no room of that name, and joining does not make one.
    case roomNotFound
    /// That can't be a room's name.
    case badRoomName
    /// The server has as many rooms as it may have.
    case tooManyRooms
    /// The server has as many connections as it may have.
    case tooManyConnections
    /// No hello came in time.
    case handshakeTimeout
    /// Nothing came for several heartbeats.
    case heartbeatTimeout
    /// The client id belongs to a client with another secret.
    case badSecret
    /// The same client joined the room again on another connection.
    case replaced
    /// The server is going down; come back, perhaps to another.
    case shuttingDown
    /// The store can't write or read it now.
    case unavailable
    /// The role, or how the room was joined, does not allow it.
    case notAllowed
    /// What is stored of the room is damaged.
    case storeCorrupt
    /// The revision is no longer kept.
    case historyGone
    /// Something is wrong inside the server.
    case internalError
    /// The revision is above the room's.
    case badRevision
    /// It is over another limit of the server; the message says which.
    case limitExceeded
    /// The room was deleted.
    case roomDeleted
    /// The request for a view is invalid.
    case badView
    /// The request for a drag is invalid.
    case badDrag
    /// A name or a value is invalid, so the message has no effect.
    case badContent
    /// A frame was begun, and the rest of it did not come in time.
    case frameTimeout
    /// The client's address exceeds a limit of the server.
    case addressLimit
    /// The room was replaced, or has lost changes that the client saw.
    case roomChanged
    /// The connection uses more of the server's memory than it may.
    case connectionLimit
    /// The client's user exceeds a limit of the server.
    case userLimit
    /// The server asks for a token, and the hello has none.
    case needsToken
    /// The server takes tokens only over TLS or from its own machine.
    case unsecured
    /// It is no token, its signature or a claim is wrong, or it is not valid yet.
    case badToken
    /// The server has no key of the id that the token names.
    case unknownKey
    /// The token has expired; come back with a new one.
    case tokenExpired
    /// The token, its user or its key was revoked.
    case tokenRevoked

    /// All numbers are below this one.
    package static let numberCount = 40

    /// The number on the wire. 12 must not be used again.
    package var number: UInt32 { facts.number }

    /// Whether the same message may succeed later, unchanged.
    package var retry: Bool { facts.retry }

    /// Whether the connection is closed after it.
    package var closes: Bool { facts.closes }

    private var facts: (number: UInt32, retry: Bool, closes: Bool) {
        switch self {
        case .unknown: (0, false, false)
        case .badFrame: (1, false, true)
        case .frameTooLarge: (2, false, true)
        case .badMessage: (3, false, true)
        case .badHandshake: (4, false, true)
        case .unsupportedVersion: (5, false, true)
        case .unsupported: (6, false, false)
        case .unknownRoom: (7, false, false)
        case .roomNotFound: (8, false, false)
        case .badRoomName: (9, false, false)
        case .tooManyRooms: (10, false, false)
        case .tooManyConnections: (11, true, true)
        case .handshakeTimeout: (13, true, true)
        case .heartbeatTimeout: (14, true, true)
        case .badSecret: (15, false, false)
        case .replaced: (16, false, false)
        case .shuttingDown: (17, true, true)
        case .unavailable: (18, true, false)
        case .notAllowed: (19, false, false)
        case .storeCorrupt: (20, false, false)
        case .historyGone: (21, false, false)
        case .internalError: (22, true, false)
        case .badRevision: (23, false, false)
        case .limitExceeded: (24, false, false)
        case .roomDeleted: (25, false, false)
        case .badView: (26, false, false)
        case .badDrag: (27, false, false)
        case .badContent: (28, false, false)
        case .frameTimeout: (29, true, true)
        case .addressLimit: (30, true, false)
        case .roomChanged: (31, true, false)
        case .connectionLimit: (32, true, true)
        case .userLimit: (33, true, false)
        case .needsToken: (34, false, true)
        case .unsecured: (35, false, true)
        case .badToken: (36, false, true)
        case .unknownKey: (37, false, true)
        case .tokenExpired: (38, false, true)
        case .tokenRevoked: (39, false, true)
        }
    }

    /// The code with a number; one that is not known here is ``unknown``.
    package init(number: UInt32) {
        self = ErrorCode.allCases.first { $0.number == number } ?? .unknown
    }
}
