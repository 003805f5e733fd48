import SyncBytes
package import SyncIO

/// A WebSocket as a stream on another stream, whose handshake is over.
///
/// A write is one binary message; the bytes of received messages follow one another, so they may be
/// cut anywhere. A frame of collsync says how long it is, and needs no message around it.
///
/// Invariants:
/// 1. It holds nothing of what it receives, but what wslay keeps of an unfinished frame.
/// 2. While its answers to pings wait for a write, they are ``mostAnswerBytes`` and those to one
///    read of the stream below at most, which is paused.
package final class WebSocketStream: ByteStream {
    private enum Phase {
        case open
        /// A closing frame is on its way, or has come.
        case closing
        case closed
    }

    private let below: any ByteStream
    private let engine: WebSocketEngine
    private let loop: any EventLoop
    private var phase = Phase.open
    private var handler: (any ByteStreamHandler)?
    private var closeReason: IOError?
    /// Whether the stream below ends its output behind what is queued.
    private var isFinishing = false
    private var frames = 0

    package private(set) var isWriting = false
    /// Whether the stream below has all of the write in flight.
    private var isWriteBelow = false

    /// Answers may be so long before no more frames are read.
    private static let mostAnswerBytes = 16 << 10
    /// How long the other side has to close, once it knows why.
    private static let lingerMilliseconds: UInt64 = 1000

    init(_ below: any ByteStream, _ role: WebSocketEngine.Role, loop: any EventLoop) {
        self.below = below
        self.loop = loop
        engine = WebSocketEngine(role)
    }

    package var peer: String { below.peer }

    /// The memory that it uses, in bytes, without what the stream below it uses.
    package var memoryBytes: Int {
        (engine.hasBuffers ? WebSocketEngine.memoryBytes : 0) + engine.outputBytes
    }

    /// How many frames were read since the last call.
    package func takeFrameCount() -> Int {
        defer { frames = 0 }
        return frames
    }

    // MARK: Reading

    package func open(_ handler: any ByteStreamHandler) {
        guard phase != .closed else { return }
        precondition(self.handler == nil, "a stream is opened once")
        self.handler = handler
        below.open(self)
    }

    package var isReadingPaused = false {
        didSet { updatePause() }
    }

    private func updatePause() {
        let isFull = engine.outputBytes > WebSocketStream.mostAnswerBytes
        let isPaused = phase == .open && (isReadingPaused || isFull)
        if below.isReadingPaused != isPaused { below.isReadingPaused = isPaused }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(
            byteCount: bytes.count + WebSocketEngine.bufferBytes, alignment: 1
        ) { memory in
            guard let read = engine.read(bytes, into: memory) else {
                return fail("there is no memory for it")
            }
            frames += read.frames
            if read.count > 0 {
                handler?.streamDidReceive(UnsafeRawBufferPointer(rebasing: memory[..<read.count]))
            }
        }
        guard phase == .open else { return }
        if let code = engine.receivedCode {
            // wslay has queued the answer.
            end(code == 1000 || code == 1001 || code == 1005 ? nil : "closed it with code \(code)")
        } else if let code = engine.sentCode {
            end("broke the rules of WebSockets: \(code)")
        } else {
            pump()
            updatePause()
        }
    }

    // MARK: Writing

    package var unsentBytes: Int { isWriting ? below.unsentBytes + engine.outputBytes : 0 }

    package func write(_ parts: [SharedBytes]) {
        guard phase == .open else { return }
        precondition(handler != nil, "a stream is opened before it is written to")
        precondition(!isWriting, "one write may be in flight")
        isWriting = true
        guard engine.write(parts) else { return fail("there is no memory for it") }
        pump()
    }

    package func finishWriting() {
        guard phase == .open else { return }
        precondition(!isWriting, "a stream is finished when all is written")
        engine.close(.normal)
        finishBelow()
    }

    private func finishBelow() {
        isFinishing = true
        pump()
    }

    /// Passes on what the stream below can take.
    private func pump() {
        guard phase != .closed, !below.isWriting else { return }
        let output = engine.takeOutput()
        // An empty write is announced later, too.
        if !output.isEmpty || isWriting && !isWriteBelow {
            isWriteBelow = isWriting
            return below.write(output)
        }
        if isFinishing {
            isFinishing = false
            below.finishWriting()
        }
    }

    // MARK: Closing

    private func fail(_ why: String) {
        engine.close(.goingAway)
        end(why)
    }

    /// Sends what is queued, ends the output, and closes soon.
    ///
    /// - Parameter reason: what the other side has done wrong, if anything.
    private func end(_ reason: String?) {
        guard phase == .open else { return }
        phase = .closing
        closeReason = reason.map { .connectionLost("\(peer): \($0)") }
        (isWriting, isWriteBelow) = (false, false)
        updatePause()
        finishBelow()
        loop.schedule(afterMilliseconds: WebSocketStream.lingerMilliseconds) { [self] in
            below.close()
        }
    }

    package func close() {
        guard phase != .closed else { return }
        if phase == .open, !below.isWriting {
            engine.close(.goingAway)
            let output = engine.takeOutput()
            if !output.isEmpty { below.write(output) }
        }
        phase = .closed
        below.close()
    }
}

// The events of the stream below.
extension WebSocketStream: ByteStreamHandler {
    package func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        guard phase == .open else { return }
        receive(bytes)
    }

    package func streamDidDrain() {
        // Answers to pings belong to no write.
        if isWriteBelow {
            (isWriting, isWriteBelow) = (false, false)
            handler?.streamDidDrain()
        }
        pump()
        updatePause()
    }

    package func streamDidClose(_ error: IOError?) {
        let reason = closeReason ?? (phase == .open ? error : nil)
        phase = .closed
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(reason)
    }
}
