import SyncBytes

/// A connection of the load generator that is a WebSocket for the frames of the protocol, on
/// another connection.
final class WebSocketSocket: Socket {
    private let lower: Socket
    private let maker: WebSocketSockets
    /// Frames that the system has not accepted, and how many bytes have become frames.
    private var unsent: [UInt8] = []
    private var framedBytes = 0
    /// The beginning of a header that is not whole, and how much of the frame's data is missing.
    private var header: [UInt8] = []
    private var dataLeft = 0

    /// Does the handshake.
    init(over lower: Socket, _ maker: WebSocketSockets) throws {
        self.lower = lower
        self.maker = maker
        // The server says nothing before the client does.
        _ = try lower.openWebSocket("/v1/ws", "collsync.v1")
        super.init(over: lower)
    }

    /// Sends all at once, as a plain socket does, or else accepts nothing until all of it is sent.
    override func sendSome(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        if framedBytes < bytes.count {
            var header = ByteWriter(capacity: 16)
            header.writeFrameHeader(
                WebSocketOpcode.binary, dataBytes: bytes.count - framedBytes)
            unsent += header.bytes
            unsent += bytes[framedBytes...]
            framedBytes = bytes.count
        }
        let count = try unsent.withUnsafeBytes { try lower.sendSome($0) }
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
            let received = try lower.receive(into: framed)
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
        guard let whole = header.withUnsafeBytes({ WebSocketHeader($0) }) else { return }
        guard whole.opcode <= WebSocketOpcode.binary else {
            throw BenchError("the server sends a control frame")
        }
        dataLeft = whole.dataBytes
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
        try connect(over: Socket(port: port))
    }

    func connect(over lower: Socket) throws -> Socket {
        try WebSocketSocket(over: lower, self)
    }
}
