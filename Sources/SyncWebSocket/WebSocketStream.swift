import SyncBytes
package import SyncIO

/// A WebSocket as a stream on another stream, after the handshake.
///
/// The stream below is open already, since the handshake was on it. Its handler passes each call on
/// to this stream, by ``ByteStreamHandler``, until the end.
///
/// Invariants:
/// 1. Of what it receives, it holds at most one read of the stream below and the part of a frame:
///    while it holds something, it pauses that stream.
/// 2. At most ``framesAtOnce`` frames are read at a time. The rest is held.
/// 3. One answer to a ping waits at most, for the last one.
/// 4. Frames that are nothing for the handler, such as pings, are work that nobody pays for. Their
///    number is bounded (``Credit``).
/// 5. After a closing frame nothing is sent.
package final class WebSocketStream: LayeredStream {
    private enum Phase {
        case open
        /// Both sides have sent a closing frame, or the other side was told what it has done wrong.
        case ending
        case closed
    }

    private let below: any ByteStream
    /// The stream below, if it is one on another.
    private let layered: (any LayeredStream)?
    private let loop: any EventLoop
    private var phase = Phase.open
    private var handler: (any ByteStreamHandler)?
    private var closeReason: IOError?

    private var reader: MessageReader
    /// Received bytes that are not read yet.
    private var held: [UInt8]
    private var isDeliveryScheduled = false
    private var credit: Credit
    /// Frames that ``takeRecordCount()`` has not counted.
    private var uncountedFrames = 0

    private var output: Output

    /// How many frames are read at a time.
    static let framesAtOnce = 256
    /// To read this many short frames takes less long than to decrypt a record.
    static let framesPerRecord = 16
    /// The memory of a stream that does nothing, as measured.
    static let idleBytes = 320
    /// How long the other side has to read why, and to close.
    private static let lingerMilliseconds: UInt64 = 1000

    /// - Parameters:
    ///   - below: is open. Its handler passes its calls on.
    ///   - isServer: whether this is the server's side. A client masks what it sends.
    ///   - received: what has come behind the handshake.
    package init(
        on below: any ByteStream, _ kind: WebSocketProtocol, isServer: Bool, loop: any EventLoop,
        received: [UInt8] = []
    ) {
        self.below = below
        layered = below as? any LayeredStream
        self.loop = loop
        held = received
        credit = Credit(at: loop.nowMilliseconds)
        reader = MessageReader(kind, isServer: isServer)
        output = Output(
            MessageWriter(
                kind,
                makeMask: isServer
                    ? nil : { [loop] in UInt32(truncatingIfNeeded: loop.random()) }))
        updatePause()
    }

    package var peer: String { below.peer }

    package var memoryBytes: Int {
        WebSocketStream.idleBytes + reader.memoryBytes + held.capacity + output.byteCount
            + (layered?.memoryBytes ?? 0)
    }

    package func takeRecordCount() -> Int {
        let (records, rest) = uncountedFrames.quotientAndRemainder(
            dividingBy: WebSocketStream.framesPerRecord)
        uncountedFrames = rest
        return records + (layered?.takeRecordCount() ?? 0)
    }

    // MARK: Reading

    package func open(_ handler: any ByteStreamHandler) {
        guard phase != .closed else { return }
        precondition(self.handler == nil, "a stream is opened once")
        self.handler = handler
        updatePause()
        scheduleDelivery()
    }

    /// Whether it has a handler.
    var isOpened: Bool { handler != nil }

    package var isReadingPaused = false {
        didSet {
            guard isReadingPaused != oldValue else { return }
            updatePause()
            scheduleDelivery()
        }
    }

    /// Whether received bytes have somebody to go to.
    private var mayDeliver: Bool { phase == .open && handler != nil && !isReadingPaused }

    private func updatePause() {
        // At the end, what is received is dropped.
        let isPaused = phase == .open && (!held.isEmpty || !mayDeliver)
        if below.isReadingPaused != isPaused { below.isReadingPaused = isPaused }
    }

    private func scheduleDelivery() {
        guard !held.isEmpty, mayDeliver, !isDeliveryScheduled else { return }
        isDeliveryScheduled = true
        loop.atEndOfTurn { [self] in
            isDeliveryScheduled = false
            guard mayDeliver else { return }
            let bytes = held
            held = []
            bytes.withUnsafeBytes { read($0) }
        }
    }

    /// Reads what has come, and holds what is too many frames. Nothing is held before.
    private func read(_ bytes: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(
            byteCount: bytes.count + MessageReader.extraBytes, alignment: 1
        ) { memory in
            let read = reader.read(bytes, into: memory, atMost: WebSocketStream.framesAtOnce)
            uncountedFrames += read.frames
            if read.unread > 0, !read.isOver { held.append(contentsOf: bytes.suffix(read.unread)) }
            if read.count > 0 {
                handler?.streamDidReceive(UnsafeRawBufferPointer(rebasing: memory[..<read.count]))
            }
            finish(read)
        }
        pump()
        updatePause()
        scheduleDelivery()
    }

    private func finish(_ read: MessageReader.Read) {
        // The handler may have closed the stream.
        guard phase == .open else { return }
        if let ping = read.ping { output.answer(ping) }
        let isAdmitted = credit.admits(
            idle: read.idleFrames, of: read.frames, at: loop.nowMilliseconds)
        if let failure = read.failure {
            fail(failure)
        } else if let close = read.close {
            output.close(close.code)
            let isOrderly = CloseCode.isOrderly(close.code)
            end(isOrderly ? nil : "it closed the WebSocket with code \(close.code ?? 0)")
        } else if !isAdmitted {
            fail(WebSocketFailure(.policyViolation, "too many frames without data"))
        }
    }

    // MARK: Writing

    package var isWriting: Bool { output.isWriting }

    package var unsentBytes: Int { isWriting ? below.unsentBytes + output.byteCount : 0 }

    package func write(_ parts: [SharedBytes]) {
        guard phase == .open, !output.isClosed else { return }
        precondition(handler != nil, "a stream is opened before it is written to")
        precondition(!isWriting, "one write may be in flight")
        output.begin(parts)
        pump()
    }

    package func finishWriting() {
        guard phase == .open else { return }
        precondition(!isWriting, "a stream is finished when all is written")
        // The other side answers it. The stream below ends after that: some programs between the
        // two close a connection at once if either side ends.
        output.close(CloseCode.normal.rawValue)
        pump()
    }

    /// Asks the other side for a sign of life, which any WebSocket gives by itself. Whoever has
    /// the stream below sees that something comes.
    package func ping() {
        guard phase == .open else { return }
        output.ask()
        pump()
    }

    /// Passes on what the stream below can take.
    private func pump() {
        guard phase != .closed, !below.isWriting else { return }
        if let frames = output.take() { return below.write(frames) }
        if phase == .ending, !output.isFinished {
            output.isFinished = true
            below.finishWriting()
        }
    }

    // MARK: Closing

    /// Tells the other side what it has done wrong, and closes soon.
    private func fail(_ failure: WebSocketFailure) {
        output.close(failure.code.rawValue, failure.reason)
        end("it broke the rules of WebSockets: \(failure.reason)")
    }

    /// Sends what is queued, ends the output, and closes soon.
    ///
    /// - Parameter reason: what the other side has done, if that is not as it should be.
    private func end(_ reason: String?) {
        phase = .ending
        closeReason = reason.map { .connectionLost("\(peer): \($0)") }
        held = []
        output.endWrite()
        loop.schedule(afterMilliseconds: WebSocketStream.lingerMilliseconds) { [self] in
            below.close()
        }
    }

    package func close() {
        guard phase != .closed else { return }
        if phase == .open, !below.isWriting {
            output.close(CloseCode.goingAway.rawValue)
            if let frames = output.take() { below.write(frames) }
        }
        drop()
        below.close()
    }

    private func drop() {
        phase = .closed
        held = []
        reader.drop()
        output.drop()
    }
}

// The events of the stream below.
extension WebSocketStream: ByteStreamHandler {
    package func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        guard phase == .open else { return }
        if held.isEmpty, mayDeliver { return read(bytes) }
        held.append(contentsOf: bytes)
        updatePause()
    }

    package func streamDidDrain() {
        if output.endTaken() { handler?.streamDidDrain() }
        pump()
    }

    package func streamDidClose(_ error: IOError?) {
        // An end without a closing frame counts as one with it: frames say how long they are.
        let reason = closeReason ?? (phase == .open ? error : nil)
        drop()
        let handler = handler
        self.handler = nil
        handler?.streamDidClose(reason)
    }
}
