import SyncBytes
import SyncIO
import SyncServer
import SyncWebSocket
import SyncWire

/// A WebSocket whose messages are lines: between its stream and the session of its member.
///
/// Invariants:
/// 1. Of what it receives it keeps at most one line, and one read of the stream: while it does not
///    read on, it pauses the stream. It does not read on while the session reads nothing.
/// 2. Lines take no more steps of a turn than a connection may, unless it is a single one. Then
///    others have their turn.
/// 3. The session's write is over when all that came of it is taken.
/// 4. A long line is read, and written, on a worker. Meanwhile no other line is read, and what
///    follows it waits.
final class LineSocket: ByteStreamHandler, SessionClient {
    private let gateway: GatewayConnection
    private let stream: WebSocketStream
    private let link: SessionLink
    private let member: LineMember
    /// Received bytes that are not read yet: lines, and the beginning of one.
    private var held: [UInt8] = []
    /// How many bytes at the start of them were searched, and have no end of a line.
    private var searched = 0
    /// Whether the rest of a line is dropped, as it is too long.
    private var isDropping = false
    /// The bytes of a line that a worker reads now; 0 if none does.
    private var bytesRead = 0
    /// Pieces of lines that wait for a worker to write the line before.
    private var waiting: [LinePiece] = []
    private var isWritingLine = false
    private var output = GatheredParts()
    private var bytesInFlight = 0
    private var isWaitingForTurn = false
    private var rateTimer: (any Timer)?
    private var isEnding = false
    private var isFinished = false
    private var isClosed = false
    private var lastBeat: UInt64 = 0

    /// A line may have so many bytes: to read it takes a worker some milliseconds.
    static let mostLineBytes = 128 << 10
    private static let smallBytes = 2 << 10
    private static let ownBytes = 1024

    init(_ gateway: GatewayConnection, _ stream: WebSocketStream, _ options: LineOptions) {
        self.gateway = gateway
        self.stream = stream
        link = SessionLink(peer: gateway.peer, on: gateway.eventLoop)
        member = LineMember(options, random: gateway.eventLoop.random)
    }

    var memoryBytes: Int {
        LineSocket.ownBytes + stream.memoryBytes - gateway.securedBytes + link.memoryBytes
            + member.memoryBytes
            + held.capacity + bytesRead + output.memoryBytes + bytesInFlight
            + waiting.reduce(0) { $0 + $1.bytes.count + ($1.unwritten?.memoryBytes ?? 0) }
    }

    func begin() {
        link.client = self
        gateway.openSession(over: link, encoding: .json)
        stream.open(self)
        member.begin()
        passOn()
    }

    // MARK: Lines

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        gateway.perform {
            held.append(contentsOf: bytes)
            charge(bytes: bytes.count)
            read()
        }
    }

    private func charge(bytes: Int, lines: Int = 0) {
        let wait = gateway.charge(bytes: bytes, requests: lines, by: stream)
        guard wait > 0, rateTimer == nil else { return }
        rateTimer = gateway.schedule(afterMilliseconds: wait) { [weak self] in
            self?.rateTimer = nil
            self?.read()
        }
    }

    private var mayRead: Bool {
        member.takesLines && !isWaitingForTurn && rateTimer == nil && !isEnding
            && bytesRead == 0 && !isWritingLine
            && !link.isReadingPaused && output.byteCount < HTTPConnection.mostQueuedBytes
    }

    /// Reads the lines that there are, as far as a turn goes.
    ///
    /// - Parameter steps: what that may take; `nil` if it is nobody's turn.
    private func read(within steps: Int? = nil) {
        var (start, lines) = (0, 0)
        var steps = steps ?? gateway.stepsLeft
        while mayRead,
            let end = held.withUnsafeBytes({ $0.firstNewline(from: max(start, searched)) })
        {
            guard steps > 0 else {
                readLater()
                break
            }
            searched = 0
            let made = receive(held[start..<end])
            steps -= gateway.spend(lines: 1, textBytes: end - start - bytesRead, values: made)
            start = end + 1
            lines += 1
        }
        held.removeFirst(start)
        if mayRead { searched = held.count }
        if held.count > LineSocket.mostLineBytes, searched == held.count { dropLine() }
        if lines > 0 { charge(bytes: 0, lines: lines) }
        passOn()
    }

    /// - Returns: how many values were made of the line.
    private func receive(_ line: ArraySlice<UInt8>) -> Int {
        if isDropping {
            isDropping = false
        } else if line.count > LineSocket.mostLineBytes {
            refuseLine()
        } else if line.count <= SessionRequest.smallBytes {
            return line.withUnsafeBytes { member.receive(line: $0) }
        } else {
            readAside(SharedBytes(Array(line)))
        }
        return 0
    }

    /// Has a worker read a line.
    private func readAside(_ line: SharedBytes) {
        bytesRead = line.count
        gateway.performAside {
            var made = 0
            return line.withBytes { ReadLine($0, counting: &made) }
        } then: { [self] line in
            bytesRead = 0
            guard !isEnding else { return }
            gateway.perform {
                gateway.spend(values: line.itemsToPack)
                member.receive(line)
                read()
            }
        }
    }

    /// Answers a line that is too long, and drops what has come of it.
    private func dropLine() {
        held = []
        searched = 0
        if isDropping { return }
        isDropping = true
        refuseLine()
    }

    private func refuseLine() {
        member.refuseUnreadLine("a line has at most \(LineSocket.mostLineBytes) bytes here")
    }

    private func readLater() {
        isWaitingForTurn = true
        gateway.readLater(isSmall: held.count <= LineSocket.smallBytes) { [self] in
            isWaitingForTurn = false
            read(within: $0)
        }
    }

    // MARK: The session

    func receive(_ parts: [SharedBytes]) {
        for part in parts { member.receive(part) }
    }

    func sessionDidWrite() {
        // A member can be given lines from now on that were held before.
        if held.isEmpty { passOn() } else { read() }
    }

    func sessionReadsOn() {
        if !held.isEmpty { gateway.perform { read() } }
    }

    func sessionDidEnd() {
        finish()
    }

    var untakenBytes: Int {
        output.byteCount + (stream.isWriting || isWritingLine ? max(1, stream.unsentBytes) : 0)
    }

    // MARK: Passing on

    /// Passes on what the member has for both sides.
    private func passOn() {
        for frame in member.takeFrames() { frame.withBytes { link.send($0) } }
        for code in member.takeRefusals() { gateway.count(code) }
        waiting += member.takePieces()
        if !isWritingLine { gather() }
        flush()
        if member.ending != nil { finish() }
        gateway.countMemory()
        let isPaused = !held.isEmpty && !mayRead && !isEnding
        if stream.isReadingPaused != isPaused { stream.isReadingPaused = isPaused }
    }

    private static let lineEnd = SharedBytes([0x0A])

    /// Passes on the pieces that wait, up to a line that a worker has to write.
    private func gather() {
        let pieces = waiting
        waiting = []
        for (index, piece) in pieces.enumerated() {
            if let line = piece.unwritten {
                waiting = Array(pieces[(index + 1)...])
                return writeAside(line)
            }
            output.append(piece.bytes)
            if piece.endsLine { output.append(LineSocket.lineEnd) }
        }
    }

    /// Has a worker write a line.
    private func writeAside(_ line: UnwrittenLine) {
        isWritingLine = true
        gateway.performAside {
            line.text()
        } then: { [self] text in
            isWritingLine = false
            guard !isClosed else { return }
            gateway.perform {
                if let text { output.append(text) } else { member.refuse(line) }
                if held.isEmpty { passOn() } else { read() }
            }
        }
    }

    private func flush() {
        if stream.isWriting { return }
        guard !output.isEmpty else {
            // What waits is not taken yet.
            if isWritingLine { return }
            link.didTake()
            if isEnding { finishWriting() }
            return
        }
        bytesInFlight = output.byteCount
        gateway.spend(writtenBytes: bytesInFlight)
        stream.write(output.take())
    }

    func streamDidDrain() {
        gateway.perform {
            bytesInFlight = 0
            flush()
            if !held.isEmpty { read() }
        }
    }

    // MARK: The end

    /// The server goes down, or refuses to go on.
    func end(_ error: ErrorMessage) {
        guard !isEnding else { return }
        member.end(.refused(error))
        passOn()
    }

    /// Closes the stream when all is written.
    private func finish() {
        guard !isEnding else { return }
        isEnding = true
        rateTimer?.cancel()
        link.close()
        close(afterMilliseconds: LineSocket.mostEndMilliseconds)
        flush()
    }

    /// Gives the other side a moment to read the last line, and to close.
    private func finishWriting() {
        guard !isFinished else { return }
        isFinished = true
        stream.finishWriting()
        close(afterMilliseconds: LineSocket.lingerMilliseconds)
    }

    private func close(afterMilliseconds delay: UInt64) {
        gateway.schedule(afterMilliseconds: delay) { [weak stream] in stream?.close() }
    }

    private static let lingerMilliseconds: UInt64 = 1000
    private static let mostEndMilliseconds: UInt64 = 5000

    func streamDidClose(_ error: IOError?) {
        (isEnding, isClosed) = (true, true)
        waiting = []
        rateTimer?.cancel()
        gateway.perform { link.close() }
    }

    /// Asks a silent client for a sign of life, and gives the session the client's.
    func watch(silence: UInt64) {
        guard !isEnding, let beat = member.beatMilliseconds.map(UInt64.init) else { return }
        if silence >= beat * LineSocket.missedBeats { return stream.close() }
        if silence >= beat { stream.ping() }
        let now = gateway.listenedMilliseconds
        guard now - min(now, lastBeat) >= beat / 2 else { return }
        lastBeat = now
        member.beat()
        passOn()
    }

    private static let missedBeats: UInt64 = 3
}
