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

/// The header of a frame to send.
struct FrameHeader {
    let opcode: Opcode
    let dataBytes: Int
    let isFinal: Bool
    /// The mask of the data, whose bytes are applied in turn, the lowest first; `nil` for a server.
    let mask: UInt32?

    init(_ opcode: Opcode, dataBytes: Int, isFinal: Bool, mask: UInt32?) {
        (self.opcode, self.dataBytes) = (opcode, dataBytes)
        (self.isFinal, self.mask) = (isFinal, mask)
    }

    var byteCount: Int { 2 + lengthBytes + (mask == nil ? 0 : 4) }

    /// How many bytes the length has beyond the seven bits for a short one.
    private var lengthBytes: Int {
        switch dataBytes {
        case ..<126: 0
        case ..<(1 << 16): 2
        default: 8
        }
    }

    /// Writes it to the beginning of the memory.
    func write(to memory: UnsafeMutableRawBufferPointer) {
        let shortLength: UInt8 =
            switch lengthBytes {
            case 0: UInt8(dataBytes)
            case 2: 126
            default: 127
            }
        memory[0] = (isFinal ? 0x80 : 0) | opcode.rawValue
        memory[1] = (mask == nil ? 0 : 0x80) | shortLength
        for index in 0..<lengthBytes {
            let shift = 8 * (lengthBytes - 1 - index)
            memory[2 + index] = UInt8(truncatingIfNeeded: dataBytes >> shift)
        }
        guard let mask else { return }
        for index in 0..<4 {
            memory[2 + lengthBytes + index] = UInt8(truncatingIfNeeded: mask >> (8 * index))
        }
    }
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
