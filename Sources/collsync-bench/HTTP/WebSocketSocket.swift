/// A connection of the load generator that is a WebSocket.
///
/// It masks with zeros, which is no work, but is the same work for the server as any mask.
final class WebSocketSocket: Socket {
    private let maker: WebSocketSockets
    /// Frames that the system has not accepted, and how many bytes have become frames.
    private var unsent: [UInt8] = []
    private var framedBytes = 0
    /// The beginning of a header that is not whole, and how much of the frame's data is missing.
    private var header: [UInt8] = []
    private var dataLeft = 0

    /// Connects and does the handshake.
    init(port: UInt16, _ maker: WebSocketSockets) throws {
        self.maker = maker
        try super.init(port: port)
        let request = """
            GET /v1/ws HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Protocol: collsync.v1\r
            \r

            """
        _ = try Array(request.utf8).withUnsafeBytes { try super.sendSome($0) }
        var answer = ""
        while !answer.hasSuffix("\r\n\r\n") {
            answer += String(decoding: try super.receive(into: maker.memory), as: UTF8.self)
        }
        guard answer.hasPrefix("HTTP/1.1 101 ") else {
            throw BenchError("the server opens no WebSocket: \(answer.prefix(80))")
        }
    }

    /// Sends all at once, as a plain socket does, or else accepts nothing until all of it is sent.
    override func sendSome(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        if framedBytes < bytes.count {
            let count = bytes.count - framedBytes
            unsent.append(0x82)
            switch count {
            case ..<126: unsent.append(0x80 | UInt8(count))
            case ..<(1 << 16): unsent += [0xFE, UInt8(count >> 8), UInt8(count & 0xFF)]
            default:
                unsent.append(0xFF)
                withUnsafeBytes(of: UInt64(count).bigEndian) { unsent += $0 }
            }
            unsent += [0, 0, 0, 0]
            unsent += bytes[framedBytes...]
            framedBytes = bytes.count
        }
        let count = try unsent.withUnsafeBytes { try super.sendSome($0) }
        unsent.removeFirst(count)
        guard unsent.isEmpty else { return 0 }
        defer { framedBytes = 0 }
        return framedBytes
    }

    /// Receives as ``Socket`` does, and waits for some data if it waits.
    override func receive(
        into memory: UnsafeMutableRawBufferPointer
    ) throws -> UnsafeRawBufferPointer {
        let limit = min(maker.memory.count, memory.count)
        let framed = UnsafeMutableRawBufferPointer(rebasing: maker.memory[..<limit])
        while true {
            let received = try super.receive(into: framed)
            if received.isEmpty { return received }
            let count = try unframe(received, into: memory)
            if count > 0 { return UnsafeRawBufferPointer(rebasing: memory[..<count]) }
        }
    }

    /// Copies the data of frames.
    private func unframe(
        _ received: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        var (rest, count) = (received, 0)
        while !rest.isEmpty {
            if dataLeft == 0 {
                header.append(rest[0])
                rest = UnsafeRawBufferPointer(rebasing: rest[1...])
                try readHeader()
                continue
            }
            let data = UnsafeRawBufferPointer(rebasing: rest.prefix(dataLeft))
            UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: data)
            count += data.count
            dataLeft -= data.count
            rest = UnsafeRawBufferPointer(rebasing: rest[data.count...])
        }
        return count
    }

    /// Reads the header, if it is whole.
    private func readHeader() throws {
        guard header.count >= 2 else { return }
        guard header[0] & 0x0F <= 2 else { throw BenchError("the server sends a control frame") }
        let extra = header[1] == 126 ? 2 : header[1] == 127 ? 8 : 0
        guard header.count == 2 + extra else { return }
        dataLeft = extra == 0 ? Int(header[1]) : header[2...].reduce(0) { $0 << 8 | Int($1) }
        header.removeAll(keepingCapacity: true)
    }
}

/// Makes connections that are WebSockets, all for one thread.
final class WebSocketSockets {
    /// For received bytes before they are taken out of their frames.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    deinit {
        memory.deallocate()
    }

    func connect(to port: UInt16) throws -> Socket {
        try WebSocketSocket(port: port, self)
    }
}
