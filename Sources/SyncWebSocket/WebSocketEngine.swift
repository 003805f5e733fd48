import CWslay
import SyncBytes

/// The frames of a WebSocket (RFC 6455) between bytes and bytes: it does no I/O.
///
/// wslay reads frames and checks them, and answers pings and closes. It keeps eight kilobytes for
/// that, so it is only there while a message, a frame or an answer is under way.
final class WebSocketEngine {
    /// Which side it is. A client masks what it sends.
    enum Role {
        case server
        case client(randomByte: () -> UInt8)
    }

    /// What a call of ``read(_:into:)`` has done.
    struct Read {
        /// How many bytes of messages it has put into the memory.
        var count = 0
        /// How many frames it has read, at least in part.
        var frames = 0
    }

    /// The codes of closing frames that this side sends.
    enum CloseCode: UInt16 {
        case normal = 1000
        case goingAway = 1001
        case unsupportedData = 1003
        case policyViolation = 1008
    }

    private let role: Role
    private var context: wslay_event_context_ptr?
    /// The input that is not read yet, during a call.
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Where the bytes of messages go, during a call.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var read = Read()
    private var frame = Frame()
    /// Frames for the other side.
    private var output: [SharedBytes] = []
    private(set) var outputBytes = 0
    /// The code that the other side has closed with; 1005 if it has said none.
    private(set) var receivedCode: UInt16?
    /// The code that this side has closed with, or had to.
    private(set) var sentCode: UInt16?

    /// The memory of wslay's buffers, and how many bytes of messages it may have beyond the input.
    static let memoryBytes = 9 << 10
    static let bufferBytes = 4 << 10

    /// The frame that is being read.
    private struct Frame {
        var isControl = false
        /// Bytes that were taken from the input and are not part of a frame that has begun.
        var looseBytes = 0
        /// How much of the frame's data is missing.
        var bytesLeft: UInt64 = 0
        /// Whether the message goes on after the frame.
        var isInMessage = false

        var isIdle: Bool { looseBytes == 0 && bytesLeft == 0 && !isInMessage }
    }

    init(_ role: Role) {
        self.role = role
    }

    deinit {
        if let context { wslay_event_context_free(context) }
    }

    private var isServer: Bool {
        if case .server = role { true } else { false }
    }

    /// Whether memory for wslay's buffers is in use.
    var hasBuffers: Bool { context != nil }

    // MARK: Input

    /// Reads frames. All of `bytes` is used, unless the socket is closed.
    ///
    /// - Parameter memory: gets the data of messages; it is larger than `bytes` by
    ///   ``bufferBytes``.
    /// - Returns: `nil` if there is no memory.
    func read(
        _ bytes: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer
    ) -> Read? {
        guard let context = makeContext() else { return nil }
        (input, self.memory, read) = (bytes, memory, Read())
        let result = wslay_event_recv(context)
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        self.memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        guard result == 0, send(context) else { return nil }
        freeContextIfIdle()
        return read
    }

    private func makeContext() -> wslay_event_context_ptr? {
        if let context { return context }
        var callbacks = wslay_event_callbacks(
            recv_callback: readInput, send_callback: writeOutput,
            genmask_callback: makeMask, on_frame_recv_start_callback: frameBegins,
            on_frame_recv_chunk_callback: frameGoesOn, on_frame_recv_end_callback: nil,
            on_msg_recv_callback: messageEnds)
        let this = Unmanaged.passUnretained(self).toOpaque()
        let result =
            isServer
            ? wslay_event_context_server_init(&context, &callbacks, this)
            : wslay_event_context_client_init(&context, &callbacks, this)
        guard result == 0, let context else { return nil }
        wslay_event_config_set_no_buffering(context, 1)
        return context
    }

    private func freeContextIfIdle() {
        guard frame.isIdle, receivedCode == nil, sentCode == nil, let context else { return }
        wslay_event_context_free(context)
        self.context = nil
    }

    // MARK: Output

    /// Adds a message with the data of all parts.
    ///
    /// - Returns: `false` if there is no memory.
    func write(_ parts: [SharedBytes]) -> Bool {
        let count = parts.reduce(0) { $0 + $1.count }
        if count == 0 { return true }
        if isServer {
            append(WebSocketEngine.header(ofMessageWith: count))
            for part in parts { append(part) }
            return true
        }
        guard let context = makeContext() else { return false }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for part in parts { part.withBytes { bytes.append(contentsOf: $0) } }
        let result = bytes.withUnsafeBufferPointer { bytes in
            var message = wslay_event_msg(
                opcode: UInt8(WSLAY_BINARY_FRAME.rawValue), msg: bytes.baseAddress,
                msg_length: bytes.count)
            return wslay_event_queue_msg(context, &message)
        }
        guard result == 0, send(context) else { return false }
        freeContextIfIdle()
        return true
    }

    /// The header of a message in one frame that is not masked (RFC 6455, 5.2).
    private static func header(ofMessageWith count: Int) -> SharedBytes {
        var writer = ByteWriter(capacity: 10)
        writer.write(byte: 0x80 | UInt8(WSLAY_BINARY_FRAME.rawValue))
        let lengthBytes: Int
        switch count {
        case ..<126:
            writer.write(byte: UInt8(count))
            lengthBytes = 0
        case ..<(1 << 16):
            writer.write(byte: 126)
            lengthBytes = 2
        default:
            writer.write(byte: 127)
            lengthBytes = 8
        }
        for index in (0..<lengthBytes).reversed() {
            writer.write(byte: UInt8(truncatingIfNeeded: count >> (8 * index)))
        }
        return SharedBytes(copying: writer.bytes)
    }

    /// Adds a closing frame, if none was sent.
    func close(_ code: CloseCode) {
        guard sentCode == nil, let context = makeContext() else { return }
        wslay_event_queue_close(context, code.rawValue, nil, 0)
        _ = send(context)
    }

    func takeOutput() -> [SharedBytes] {
        defer { (output, outputBytes) = ([], 0) }
        return output
    }

    /// Has wslay write what it has queued; `false` if it has no memory.
    private func send(_ context: wslay_event_context_ptr) -> Bool {
        while wslay_event_want_write(context) != 0 {
            guard wslay_event_send(context) == 0 else { return false }
        }
        if wslay_event_get_close_sent(context) != 0, sentCode == nil {
            sentCode = wslay_event_get_status_code_sent(context)
        }
        return true
    }

    private func append(_ bytes: SharedBytes) {
        output.append(bytes)
        outputBytes += bytes.count
    }

    // MARK: wslay's calls

    /// Copies input to wslay; -1 if there is none.
    fileprivate func copyInput(to memory: UnsafeMutablePointer<UInt8>, atMost count: Int) -> Int {
        let copied = min(count, input.count)
        guard copied > 0, let base = input.baseAddress else { return -1 }
        UnsafeMutableRawPointer(memory).copyMemory(from: base, byteCount: copied)
        input = UnsafeRawBufferPointer(rebasing: input[copied...])
        frame.looseBytes += copied
        return copied
    }

    fileprivate func write(_ bytes: UnsafeRawBufferPointer) {
        append(SharedBytes(copying: bytes))
    }

    fileprivate func begin(_ opcode: UInt8, length: UInt64, isFinal: Bool) {
        read.frames += 1
        frame.isControl = opcode & 8 != 0
        frame.bytesLeft = length
        let lengthBytes = length < 126 ? 0 : length < 1 << 16 ? 2 : 8
        frame.looseBytes -= 2 + lengthBytes + (isServer ? 4 : 0)
        if !frame.isControl { frame.isInMessage = !isFinal }
        guard opcode == UInt8(WSLAY_TEXT_FRAME.rawValue), let context else { return }
        wslay_event_queue_close(context, CloseCode.unsupportedData.rawValue, nil, 0)
        wslay_event_shutdown_read(context)
    }

    fileprivate func take(_ bytes: UnsafeRawBufferPointer) {
        frame.bytesLeft -= UInt64(bytes.count)
        frame.looseBytes -= bytes.count
        guard !frame.isControl else { return }
        let rest = UnsafeMutableRawBufferPointer(rebasing: memory[read.count...])
        guard rest.count >= bytes.count else { return }
        rest.copyMemory(from: bytes)
        read.count += bytes.count
    }

    fileprivate func endMessage(_ opcode: UInt8, code: UInt16) {
        guard opcode == UInt8(WSLAY_CONNECTION_CLOSE.rawValue) else { return }
        receivedCode = code == 0 ? UInt16(WSLAY_CODE_NO_STATUS_RCVD.rawValue) : code
    }

    fileprivate func randomByte() -> UInt8 {
        if case .client(let randomByte) = role { randomByte() } else { 0 }
    }

    fileprivate static func of(_ user: UnsafeMutableRawPointer?) -> WebSocketEngine? {
        user.map { Unmanaged<WebSocketEngine>.fromOpaque($0).takeUnretainedValue() }
    }
}

private func readInput(
    _ context: wslay_event_context_ptr?, _ memory: UnsafeMutablePointer<UInt8>?, _ count: Int,
    _ flags: Int32, _ user: UnsafeMutableRawPointer?
) -> Int {
    guard let memory, let engine = WebSocketEngine.of(user) else { return -1 }
    let copied = engine.copyInput(to: memory, atMost: count)
    if copied < 0 { wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue) }
    return copied
}

private func writeOutput(
    _ context: wslay_event_context_ptr?, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
    _ flags: Int32, _ user: UnsafeMutableRawPointer?
) -> Int {
    WebSocketEngine.of(user)?.write(UnsafeRawBufferPointer(start: bytes, count: count))
    return count
}

private func makeMask(
    _ context: wslay_event_context_ptr?, _ memory: UnsafeMutablePointer<UInt8>?, _ count: Int,
    _ user: UnsafeMutableRawPointer?
) -> Int32 {
    guard let memory, let engine = WebSocketEngine.of(user) else { return -1 }
    for index in 0..<count { memory[index] = engine.randomByte() }
    return 0
}

private func frameBegins(
    _ context: wslay_event_context_ptr?,
    _ start: UnsafePointer<wslay_event_on_frame_recv_start_arg>?,
    _ user: UnsafeMutableRawPointer?
) {
    guard let start = start?.pointee else { return }
    WebSocketEngine.of(user)?.begin(
        start.opcode, length: start.payload_length, isFinal: start.fin != 0)
}

private func frameGoesOn(
    _ context: wslay_event_context_ptr?,
    _ chunk: UnsafePointer<wslay_event_on_frame_recv_chunk_arg>?,
    _ user: UnsafeMutableRawPointer?
) {
    guard let chunk = chunk?.pointee else { return }
    WebSocketEngine.of(user)?.take(
        UnsafeRawBufferPointer(start: chunk.data, count: chunk.data_length))
}

private func messageEnds(
    _ context: wslay_event_context_ptr?, _ message: UnsafePointer<wslay_event_on_msg_recv_arg>?,
    _ user: UnsafeMutableRawPointer?
) {
    guard let message = message?.pointee else { return }
    WebSocketEngine.of(user)?.endMessage(message.opcode, code: message.status_code)
}
