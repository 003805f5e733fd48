import SyncBytes

/// A WebSocket connection to a server of Yjs documents: `y-websocket` or `pycrdt-websocket`. Each
/// edit appends to an array, as an update of its own.
struct YjsMember: CrowdMember {
    private static let text = String(repeating: "x", count: 25)
    private static let array = "items"

    /// Message numbers of the protocol: a synchronization, and an update in it.
    private static let sync: UInt8 = 0
    private static let update: UInt8 = 2

    private let author: UInt64
    private var clock: UInt64 = 0
    private(set) var seen = 0
    private(set) var answered = 0
    private var input: [UInt8] = []
    private var hasReceived = false

    init(entering socket: Socket, number: Int) throws {
        author = UInt64(number) + 1
        let received = try socket.openWebSocket("/bench")
        try received.withUnsafeBytes { try receive($0) }
        // The server speaks first.
        var memory = [UInt8](repeating: 0, count: 4096)
        while !hasReceived {
            try memory.withUnsafeMutableBytes { try receive(try socket.receive(into: $0)) }
        }
    }

    mutating func settle() {}

    mutating func writeEdit(to writer: inout ByteWriter) {
        var body = ByteWriter()
        writeUpdate(to: &body)
        writer.writeFrameHeader(WebSocketOpcode.binary, dataBytes: body.count)
        writer.write(contentsOf: body.bytes)
        clock += 1
    }

    /// One author, one new element after the author's last one, and no deletions.
    private func writeUpdate(to writer: inout ByteWriter) {
        writer.write(byte: YjsMember.sync)
        writer.write(byte: YjsMember.update)
        let mark = writer.beginLengthDelimited()
        writer.write(byte: 1)
        writer.write(byte: 1)
        writer.write(varint: author)
        writer.write(varint: clock)
        if clock == 0 {
            writer.write(byte: 0x08)
            writer.write(byte: 1)
            writer.write(varint: UInt64(YjsMember.array.utf8.count))
            writer.write(utf8Of: YjsMember.array)
        } else {
            writer.write(byte: 0x88)
            writer.write(varint: author)
            writer.write(varint: clock - 1)
        }
        writer.write(byte: 1)
        writer.write(byte: 0x77)
        writer.write(varint: UInt64(YjsMember.text.utf8.count))
        writer.write(utf8Of: YjsMember.text)
        writer.write(byte: 0)
        writer.endLengthDelimited(mark)
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws {
        input.append(contentsOf: bytes)
        var used = 0
        input.withUnsafeBytes { bytes in
            while let payload = YjsMember.payload(in: bytes, from: used) {
                take(UnsafeRawBufferPointer(rebasing: bytes[payload]))
                used = payload.upperBound
            }
        }
        input.removeFirst(used)
    }

    private mutating func take(_ message: UnsafeRawBufferPointer) {
        hasReceived = true
        guard message.count > 6, message[0] == YjsMember.sync, message[1] == YjsMember.update
        else { return }
        seen += 1
        // After the update's length, of one byte, and two counts.
        if UInt64(message[5]) == author { answered += 1 }
    }

    /// The payload of the frame at an offset; `nil` if it is not complete yet.
    private static func payload(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        guard let header = WebSocketHeader(rest), header.byteCount + header.dataBytes <= rest.count
        else { return nil }
        let begin = start + header.byteCount
        return begin..<(begin + header.dataBytes)
    }
}
