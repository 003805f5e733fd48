import CWslay

/// Finds frames in bytes, by wslay, which checks how their headers are written.
///
/// It keeps some kilobytes, so it is only there while a frame is under way.
final class FrameParser {
    /// A frame, or a part of one.
    struct Piece {
        /// Whether this is the first piece of its frame.
        let isFirst: Bool
        /// Whether this is the last piece of its frame.
        let isLast: Bool
        /// Whether the message ends with this frame.
        let isFinal: Bool
        let reservedBits: UInt8
        let opcode: UInt8
        let isMasked: Bool
        /// The data, unmasked. They are valid until the next call.
        let data: UnsafeRawBufferPointer
    }

    enum Outcome {
        case piece(Piece)
        /// All bytes are read.
        case needsInput
        case malformed
    }

    private var context: wslay_frame_context_ptr?
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// How many bytes wslay has taken beyond the data of the frame so far: a part of a header, or
    /// frames that follow.
    private var looseBytes = 0
    /// How much of the frame's data is missing.
    private var dataLeft: UInt64 = 0

    /// The memory that one takes, and wslay's buffer, which is most of it.
    static let memoryBytes = bufferBytes + 512
    static let bufferBytes = 4 << 10

    /// - Returns: `nil` if there is no memory.
    init?() {
        var callbacks = wslay_frame_callbacks(
            send_callback: nil, recv_callback: readInput, genmask_callback: nil)
        let this = Unmanaged.passUnretained(self).toOpaque()
        guard wslay_frame_context_init(&context, &callbacks, this) == 0 else { return nil }
    }

    deinit {
        wslay_frame_context_free(context)
    }

    /// Calls `body`, which may read these bytes by ``next()``.
    func withInput<Result>(_ bytes: UnsafeRawBufferPointer, _ body: () -> Result) -> Result {
        input = bytes
        defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return body()
    }

    /// Whether the next byte begins a frame. A part of a header may be read already.
    var isBetweenFrames: Bool { dataLeft == 0 }

    /// How many bytes behind the last piece were passed in.
    var unreadBytes: Int { looseBytes + input.count }

    func next() -> Outcome {
        var frame = wslay_frame_iocb()
        let count = wslay_frame_recv(context, &frame)
        guard count >= 0 else {
            return count == Int(WSLAY_ERR_WANT_READ.rawValue) ? .needsInput : .malformed
        }
        let isFirst = isBetweenFrames
        if isFirst {
            dataLeft = frame.payload_length
            looseBytes -= FrameParser.headerBytes(of: frame)
        }
        dataLeft -= UInt64(count)
        looseBytes -= count
        return .piece(
            Piece(
                isFirst: isFirst, isLast: dataLeft == 0, isFinal: frame.fin != 0,
                reservedBits: frame.rsv, opcode: frame.opcode, isMasked: frame.mask != 0,
                data: UnsafeRawBufferPointer(start: frame.data, count: count)))
    }

    /// wslay accepts only the shortest form of a length.
    private static func headerBytes(of frame: wslay_frame_iocb) -> Int {
        let lengthBytes =
            switch frame.payload_length {
            case ..<126: 0
            case ..<(1 << 16): 2
            default: 8
            }
        return 2 + lengthBytes + (frame.mask != 0 ? 4 : 0)
    }

    /// Copies input to wslay; -1 if there is none.
    fileprivate func copyInput(to memory: UnsafeMutableRawPointer, atMost count: Int) -> Int {
        let copied = min(count, input.count)
        guard copied > 0, let base = input.baseAddress else { return -1 }
        memory.copyMemory(from: base, byteCount: copied)
        input = UnsafeRawBufferPointer(rebasing: input[copied...])
        looseBytes += copied
        return copied
    }
}

private func readInput(
    _ memory: UnsafeMutablePointer<UInt8>?, _ count: Int, _ flags: Int32,
    _ user: UnsafeMutableRawPointer?
) -> Int {
    guard let memory, let user else { return -1 }
    let parser = Unmanaged<FrameParser>.fromOpaque(user).takeUnretainedValue()
    return parser.copyInput(to: memory, atMost: count)
}
