/// The kinds of frames (RFC 6455, 5.2).
enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    /// Whether it is about the connection. Such a frame may come between those of a message.
    var isControl: Bool { rawValue & 8 != 0 }

    /// No frame about the connection has more data than this.
    static let maximumControlBytes = 125
}

/// The codes with which this side closes a WebSocket (RFC 6455, 7.4.1).
enum CloseCode: UInt16 {
    case normal = 1000
    case goingAway = 1001
    case protocolError = 1002
    case unsupportedData = 1003
    case invalidData = 1007
    case policyViolation = 1008
    case internalError = 1011

    /// Whether a closing frame may have this code. Some mean that there was none, and some nothing
    /// yet.
    static func isValid(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Whether the other side closes without a complaint.
    static func isOrderly(_ code: UInt16?) -> Bool {
        code == nil || code == normal.rawValue || code == goingAway.rawValue
    }
}

/// What the other side has done wrong.
struct WebSocketFailure: Error, Equatable {
    let code: CloseCode
    /// Less than 124 bytes, as it is sent.
    let reason: String

    init(_ code: CloseCode, _ reason: String) {
        (self.code, self.reason) = (code, reason)
    }
}
