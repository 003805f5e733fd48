import SyncWire

/// What a connection has received and not read yet, and what decides when it is read.
struct Inbox: ~Copyable {
    var frames: FrameDecoder
    /// The memory for frames that come in parts, as it was counted.
    var countedFrameBytes = 0
    /// Bytes that came and wait to be read.
    var held: [UInt8] = []
    /// When bytes last came, by the clock that measures silence.
    var lastReceived: UInt64
    /// When the first byte of the frame came whose rest is still to come.
    var frameBegan: UInt64?
    /// Whether so much is to be taken or answered first that reading waits.
    var isCrowded = false
    /// Whether it is read on in the next turn, and not before.
    var isWaitingForTurn = false
    /// Whether what comes is left with the system.
    var isPaused = false

    init(maximumFrameBytes: Int, at heard: UInt64) {
        frames = FrameDecoder(maximumFrameBytes: maximumFrameBytes)
        lastReceived = heard
    }

    /// Whether something waits, here or with the system.
    var isPutOff: Bool { isPaused || !held.isEmpty }

    /// The memory for what came.
    var byteCount: Int { frames.memoryBytes + held.count }

    /// Notes when a frame was begun, if one is under way.
    mutating func noteFrameUnderWay(at heard: UInt64) {
        if frameBegan == nil, !frames.isAtBoundary { frameBegan = heard }
    }

    /// Whether the frame under way takes too long.
    ///
    /// - Parameters:
    ///   - timeout: the milliseconds that any frame has.
    ///   - bytesPerSecond: the speed that earns a frame more time.
    func isFrameOverdue(heard: UInt64, timeout: UInt64, bytesPerSecond: UInt64) -> Bool {
        guard let frameBegan, !isPutOff else { return false }
        let earned = UInt64(frames.partialBytes) * 1000 / bytesPerSecond
        return heard - min(heard, frameBegan) >= timeout + earned
    }
}

/// Bytes on their way through the decoder of a connection.
struct FrameRun {
    /// What is still to be read.
    var rest: UnsafeRawBufferPointer
    /// How many steps this connection may still take before it is another's turn.
    var stepsLeft: Int
    /// Whether a frame that is much work has to wait.
    var smallFramesOnly = false
    /// How long the last frame was, inflated if it was deflated.
    var frameBytes = 0
    /// What it said, if that was no transaction.
    var message: ClientMessage?
}
