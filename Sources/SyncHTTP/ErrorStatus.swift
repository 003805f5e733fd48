import SyncModel
import SyncWire

extension ErrorCode {
    /// The status of an HTTP response that has this error.
    var status: Int {
        switch self {
        case .badFrame, .badMessage, .badHandshake, .badRoomName, .badContent, .badView, .badDrag:
            400
        case .needsToken, .badToken, .unknownKey, .tokenExpired, .tokenRevoked: 401
        case .notAllowed, .unsecured, .badSecret: 403
        case .roomNotFound, .unknownRoom, .badRevision: 404
        case .handshakeTimeout, .heartbeatTimeout, .frameTimeout: 408
        case .roomChanged, .replaced: 409
        case .historyGone, .roomDeleted: 410
        case .frameTooLarge: 413
        case .limitExceeded: 422
        case .tooManyConnections, .addressLimit, .connectionLimit, .userLimit: 429
        case .unsupported, .unsupportedVersion: 501
        case .unknown, .internalError, .storeCorrupt: 500
        case .shuttingDown, .unavailable, .tooManyRooms: 503
        }
    }
}

extension Rejection {
    /// The status of an HTTP response to a transaction that was rejected.
    var status: Int {
        switch code {
        case .unavailable: 503
        // No operation is at fault, but who has sent it.
        case .notAllowed where operation == nil: 403
        default: 422
        }
    }
}
