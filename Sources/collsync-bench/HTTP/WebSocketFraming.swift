import SyncBytes

// What a load generator needs of HTTP and WebSocket.

extension Socket {
    /// Sends a request, and reads the head of the response.
    ///
    /// - Parameter fields: further lines of the request's head.
    /// - Returns: what has come behind the response's head.
    func get(_ target: String, _ fields: [String] = [], expecting status: Int) throws -> [UInt8] {
        let lines = ["GET \(target) HTTP/1.1", "Host: 127.0.0.1"] + fields
        try Array((lines + ["", ""]).joined(separator: "\r\n").utf8).withUnsafeBytes {
            try send($0)
        }
        var answer: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while true {
            let received = try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) {
                [UInt8](try receive(into: $0))
            }
            if received.isEmpty { throw BenchError("\(target): the server does not answer") }
            answer += received
            guard let range = answer.firstRange(of: end) else { continue }
            guard answer.starts(with: "HTTP/1.1 \(status) ".utf8) else {
                throw BenchError("\(target): \(String(decoding: answer.prefix(80), as: UTF8.self))")
            }
            return Array(answer[range.upperBound...])
        }
    }

    /// Does the handshake of a WebSocket.
    ///
    /// - Returns: what has come behind it.
    func openWebSocket(_ target: String, _ subprotocol: String? = nil) throws -> [UInt8] {
        let fields = [
            "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        ]
        return try get(
            target, fields + (subprotocol.map { ["Sec-WebSocket-Protocol: \($0)"] } ?? []),
            expecting: 101)
    }
}

/// The kinds of a WebSocket's frames.
enum WebSocketOpcode {
    static let continuation: UInt8 = 0
    static let text: UInt8 = 1
    static let binary: UInt8 = 2
    static let ping: UInt8 = 9
}

extension ByteWriter {
    /// Writes the header of a client's frame that is a whole message.
    ///
    /// It masks with zeros, which is no work, but is the same work for the server as any mask.
    mutating func writeFrameHeader(_ opcode: UInt8, dataBytes count: Int) {
        write(byte: 0x80 | opcode)
        switch count {
        case ..<126: write(byte: 0x80 | UInt8(count))
        case ..<(1 << 16):
            write(byte: 0x80 | 126)
            write(byte: UInt8(count >> 8))
            write(byte: UInt8(count & 0xFF))
        default:
            write(byte: 0x80 | 127)
            withUnsafeBytes(of: UInt64(count).bigEndian) { write(contentsOf: $0) }
        }
        write(fixed32: 0)
    }
}

/// The header of a server's frame.
struct WebSocketHeader {
    let opcode: UInt8
    /// Whether the frame ends its message.
    let isFinal: Bool
    let byteCount: Int
    let dataBytes: Int

    /// - Returns: `nil` if it is not whole.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 2 else { return nil }
        let extra = bytes[1] == 126 ? 2 : bytes[1] == 127 ? 8 : 0
        guard bytes.count >= 2 + extra else { return nil }
        opcode = bytes[0] & 0x0F
        isFinal = bytes[0] & 0x80 != 0
        byteCount = 2 + extra
        dataBytes =
            extra == 0 ? Int(bytes[1]) : bytes[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) }
    }
}
