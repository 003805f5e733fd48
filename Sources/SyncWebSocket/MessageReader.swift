import SyncBytes

/// Makes of frames the bytes of their messages, by the rules of RFC 6455. It does no I/O.
///
/// It holds nothing of a message: what it gets, it passes on. The memory for a frame under way does
/// not depend on how long that claims to be.
struct MessageReader {
    /// What a call of ``read(_:into:atMost:)`` has done.
    struct Read {
        /// How many bytes of messages it has put into the memory.
        var count = 0
        /// How many frames it has ended, and how many of them were nothing for the reader of the
        /// messages.
        var frames = 0
        var idleFrames = 0
        /// How many bytes at the end of the input it has left, as those were too many frames.
        var unread = 0
        /// The data of the last ping. An answer to the last one is enough (RFC 6455, 5.5.3).
        var ping: [UInt8]?
        /// The other side has closed. Nothing behind that is read.
        var close: Close?
        /// The other side has broken a rule. Nothing behind that is read.
        var failure: WebSocketFailure?

        var isOver: Bool { close != nil || failure != nil }
    }

    /// A closing frame.
    struct Close: Equatable {
        /// `nil` if it has none.
        var code: UInt16?
    }

    private let kind: WebSocketProtocol
    private let isServer: Bool
    private var parser: FrameParser?
    /// Whether a message has begun, and its last frame has not.
    private var isInMessage = false
    private var text = TextCheck()
    /// The kind of the frame under way.
    private var opcode = Opcode.binary
    /// The data of a frame about the connection, while it comes.
    private var control: [UInt8] = []
    /// Whether the frame under way has given the reader of the messages something.
    private var isFrameIdle = true

    /// How many bytes of messages may come of a read beyond its own: those that wslay has buffered,
    /// and the end of a line.
    static let extraBytes = FrameParser.bufferBytes + 1

    init(_ kind: WebSocketProtocol, isServer: Bool) {
        self.kind = kind
        self.isServer = isServer
    }

    /// The memory that it uses.
    var memoryBytes: Int { (parser == nil ? 0 : FrameParser.memoryBytes) + control.capacity }

    /// Reads frames, and keeps the rest of the last one if it is not whole.
    ///
    /// - Parameters:
    ///   - memory: gets the bytes of the messages. It is larger than `bytes` by ``extraBytes``.
    ///   - frames: how many it may read.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer,
        atMost frames: Int
    ) -> Read {
        var read = Read()
        guard let parser = parser ?? FrameParser() else {
            read.failure = WebSocketFailure(.internalError, "there is no memory for a frame")
            return read
        }
        let isDone = parser.withInput(bytes) {
            while read.frames < frames, !read.isOver {
                switch parser.next() {
                case .needsInput: return parser.unreadBytes == 0 && parser.isBetweenFrames
                case .malformed:
                    read.failure = .protocolError("the header of a frame is malformed")
                case .piece(let piece):
                    do throws(WebSocketFailure) {
                        try take(piece, into: memory, &read)
                    } catch {
                        read.failure = error
                    }
                }
            }
            read.unread = parser.unreadBytes
            return true
        }
        // All that wslay has taken beyond the last frame came in this call: it is read again.
        self.parser = isDone ? nil : parser
        return read
    }

    /// Frees its memory. Nothing is read after this.
    mutating func drop() {
        (parser, control) = (nil, [])
    }

    private mutating func take(
        _ piece: FrameParser.Piece, into memory: UnsafeMutableRawBufferPointer, _ read: inout Read
    ) throws(WebSocketFailure) {
        if piece.isFirst { try begin(piece) }
        if opcode.isControl {
            control.append(contentsOf: piece.data)
        } else if !piece.data.isEmpty {
            isFrameIdle = false
            try pass(piece.data, into: memory, &read)
        }
        guard piece.isLast else { return }
        read.frames += 1
        if opcode.isControl {
            try endControl(&read)
        } else if piece.isFinal {
            try endMessage(into: memory, &read)
        }
        if isFrameIdle { read.idleFrames += 1 }
    }

    /// Checks the header of a frame.
    private mutating func begin(_ piece: FrameParser.Piece) throws(WebSocketFailure) {
        guard piece.isMasked == isServer else {
            throw .protocolError(
                isServer ? "a client's frame is masked" : "a server's frame is not masked")
        }
        guard piece.reservedBits == 0 else {
            throw .protocolError("a reserved bit is set, and no extension was agreed on")
        }
        guard let opcode = Opcode(rawValue: piece.opcode) else {
            throw .protocolError("the opcode \(piece.opcode) is reserved")
        }
        self.opcode = opcode
        isFrameIdle = true
        switch opcode {
        case .close, .ping, .pong: return
        case .continuation:
            guard isInMessage else { throw .protocolError("no message has begun") }
        case .text, .binary:
            guard !isInMessage else { throw .protocolError("the message before has no end") }
            let isText = kind == .lines
            guard isText == (opcode == .text) else {
                let allowed = isText ? "text" : "binary"
                throw WebSocketFailure(
                    .unsupportedData, "messages of \(kind.rawValue) are \(allowed)")
            }
        }
        isInMessage = !piece.isFinal
    }

    // MARK: Messages

    private mutating func pass(
        _ data: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer,
        _ read: inout Read
    ) throws(WebSocketFailure) {
        let target = UnsafeMutableRawBufferPointer(rebasing: memory[read.count...])
        switch kind {
        case .bytes: target.copyMemory(from: data)
        case .lines:
            guard text.admits(data) else { throw .notText }
            MessageReader.copyWithinLine(data, to: target)
        }
        read.count += data.count
    }

    private mutating func endMessage(
        into memory: UnsafeMutableRawBufferPointer, _ read: inout Read
    ) throws(WebSocketFailure) {
        guard kind == .lines else { return }
        guard text.isComplete else { throw .notText }
        isFrameIdle = false
        memory[read.count] = UInt8(ascii: "\n")
        read.count += 1
    }

    /// Copies text whose newlines do not end a line. JSON has them only between tokens.
    private static func copyWithinLine(
        _ data: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer
    ) {
        for index in 0..<data.count {
            let byte = data[index]
            let isNewline = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            target[index] = isNewline ? UInt8(ascii: " ") : byte
        }
    }

    // MARK: Frames about the connection

    private mutating func endControl(_ read: inout Read) throws(WebSocketFailure) {
        let data = control
        control = []
        switch opcode {
        case .ping: read.ping = data
        case .close: read.close = try MessageReader.close(data)
        // What no ping has asked for is ignored, and this side sends none.
        case .pong, .continuation, .text, .binary: break
        }
    }

    private static func close(_ data: [UInt8]) throws(WebSocketFailure) -> Close {
        if data.isEmpty { return Close() }
        guard data.count >= 2 else { throw .protocolError("a closing code has two bytes") }
        let code = UInt16(data[0]) << 8 | UInt16(data[1])
        guard CloseCode.isValid(code) else {
            throw .protocolError("no closing frame has the code \(code)")
        }
        var reason = TextCheck()
        let isText = data.withUnsafeBytes {
            reason.admits(UnsafeRawBufferPointer(rebasing: $0[2...])) && reason.isComplete
        }
        guard isText else { throw .notText }
        return Close(code: code)
    }
}

extension WebSocketFailure {
    fileprivate static func protocolError(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(.protocolError, reason)
    }

    fileprivate static let notText = WebSocketFailure(.invalidData, "text is not UTF-8")
}
