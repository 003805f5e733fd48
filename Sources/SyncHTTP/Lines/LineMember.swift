package import SyncBytes
import SyncClient
import SyncJSON
import SyncLayout
import SyncModel
package import SyncWire

/// A member of a room that speaks in JSON lines, for a server that speaks in frames.
///
/// It translates: a line becomes the frames that a client would send, and the server's frames
/// become lines. It has no stream and no clock. Its owner gives it lines and frames, and takes what
/// comes of them: ``takeFrames()`` for the session, ``takePieces()`` for the client.
/// `Protocol/json.md` defines the lines; they are those of `collsync-cli join`.
///
/// It does not keep the room: batches and snapshots pass as shared text that it never reads. Of a
/// view it keeps what is on the screen, as a client does, since a line says what an element was
/// before.
///
/// Invariants:
/// 1. Each line that comes to be answered is answered by one line: `ack`, `reject`, `error`, or an
///    update of the view.
/// 2. Between the pieces of a line there is no other line. What comes meanwhile is deferred; its
///    bytes are bounded (``maximumDeferredBytes``).
/// 3. Of what it receives it keeps what is in flight, the screens of its views, and what is
///    deferred. The server bounds the first two for all clients. While ``takesLines`` is false its
///    owner gives it no lines.
///
/// Cost: of a batch, O(1) for each frame; of anything else, in proportion to its size.
package final class LineMember {
    /// Why it is no longer in the room.
    package enum Ending: Equatable, Sendable {
        /// The server says why.
        case refused(ErrorMessage)
        /// What came is no sequence of frames that a session sends.
        case broken(String)
        /// More was to be said than may wait for the end of a line.
        case overflow
    }

    let options: LineOptions
    let identity: ClientIdentity
    private let random: () -> UInt64

    // No two accesses overlap here. So Swift does not check that at run time, which would cost time
    // with each line and each answer.
    @exclusivity(unchecked) private var incoming = FrameDecoder(
        maximumFrameBytes: WireLimits.maximumFrameBytes)
    @exclusivity(unchecked) private var joiner: LineJoiner
    /// Frames that wait for the session, one behind the other.
    @exclusivity(unchecked) private var frames: ByteWriter?
    @exclusivity(unchecked) private var pieces: [LinePiece] = []
    /// Lines for this client alone that come behind the pieces. They are one piece, since most are
    /// short and come together: the answers to its transactions.
    @exclusivity(unchecked) private var ownLines: JSONWriter?
    /// Lines that wait for the end of the current one.
    private var deferred: [LinePiece] = []
    private var deferredBytes = 0

    @exclusivity(unchecked) package private(set) var ending: Ending?
    /// What the server said to the hello.
    @exclusivity(unchecked) var welcome: Welcome?
    /// The room's number, and its identity, once it is joined.
    @exclusivity(unchecked) var handle: RoomHandle?
    @exclusivity(unchecked) var roomIdentity: RoomIdentity?
    /// The revision that the client has been sent, or begun with; what its lines are based on.
    @exclusivity(unchecked) var revision: Revision?

    @exclusivity(unchecked) var submissions = LineSubmissions()
    var views = LineViews()
    var drags = OwnDrags()
    /// Why lines were refused since ``takeRefusals()``, without the session.
    private var refusals: [ErrorCode] = []
    /// The number of the line that is being read, from 1.
    @exclusivity(unchecked) private(set) var lineNumber = 0

    /// The request of the join; there is no other request.
    static let joinRequest: RequestID = 1
    /// The most bytes of lines that wait for the end of a line.
    static let maximumDeferredBytes = 1 << 20
    /// With more deferred bytes, no further line is to be read.
    private static let manyDeferredBytes = 64 << 10
    /// Most frames and lines for one client are shorter.
    private static let shortBytes = 512
    /// About how many bytes it takes beside what is counted.
    private static let ownBytes = 2048

    /// - Parameter random: for the ids of a new client and of pasted items.
    package init(_ options: LineOptions, random: @escaping () -> UInt64) {
        self.options = options
        self.random = random
        identity = ClientIdentity(random: random)
        joiner = LineJoiner(room: options.room.text)
    }

    // MARK: For its owner

    /// Says hello, and joins the room.
    package func begin() {
        send(
            .hello(
                Hello(
                    features: [.presence, .drags], token: options.token.shown, agent: options.agent)
            ))
        let origin = options.origin.map { Origin($0) }
        send(
            .join(
                Join(
                    request: LineMember.joinRequest, room: options.room, client: identity.client,
                    secret: identity.secret,
                    from: options.isViewOnly || origin == nil ? nil : options.from,
                    everyRevision: options.everyRevision && !options.isViewOnly,
                    viewOnly: options.isViewOnly, presence: options.presence, origin: origin,
                    authors: options.authors)))
    }

    /// Sends the sign of life of a client, with its revision: as often as the welcome says.
    package func beat() {
        guard ending == nil, welcome != nil else { return }
        var beat = Heartbeat()
        if let handle, let revision, let origin = origin(of: revision) {
            beat.rooms = [Heartbeat.Entry(room: handle, revision: revision, origin: origin)]
        }
        send(.heartbeat(beat))
    }

    /// How often to call ``beat()``, in milliseconds; `nil` before the welcome.
    package var beatMilliseconds: UInt32? { welcome?.heartbeatMilliseconds }

    /// Whether it can be given a line. Before the room is shown, the author of the lines has seen
    /// nothing that they could be based on.
    package var takesLines: Bool {
        ending == nil && isShown && deferredBytes <= LineMember.manyDeferredBytes
    }

    private var isShown: Bool { handle != nil && (options.isViewOnly || revision != nil) }

    /// Removes and returns the frames that are to be sent to the session, in one piece.
    package func takeFrames() -> [SharedBytes] {
        guard let frames = frames.take() else { return [] }
        return [SharedBytes(copying: frames.bytes)]
    }

    /// Removes and returns the pieces of lines that are to be sent to the client.
    package func takePieces() -> [LinePiece] {
        endOwnLines()
        defer { pieces = [] }
        return pieces
    }

    /// How many bytes of memory it takes.
    package var memoryBytes: Int {
        LineMember.ownBytes + incoming.memoryBytes + deferredBytes + submissions.memoryBytes
            + views.memoryBytes
    }

    /// Reads a line, without its end.
    ///
    /// - Returns: how many values were made of it, and items are packed: these take longer than its
    ///   other bytes.
    package func receive(line: UnsafeRawBufferPointer) -> Int {
        var made = 0
        let line = ReadLine(line, counting: &made)
        receive(line)
        return made + line.itemsToPack
    }

    /// Does what a line says.
    func receive(_ line: ReadLine) {
        lineNumber += 1
        if ending != nil { return }
        if case .blank = line { return }
        guard isShown else {
            return refuseLine("malformed", "lines come after the room is shown")
        }
        obey(line)
    }

    /// Answers a line that its owner can't read, for instance since it is too long.
    package func refuseUnreadLine(_ message: String) {
        lineNumber += 1
        if ending == nil { refuseLine("malformed", message) }
    }

    func countRefusal(_ code: ErrorCode) {
        refusals.append(code)
    }

    /// Why lines were refused, once each.
    func takeRefusals() -> [ErrorCode] {
        defer { refusals = [] }
        return refusals
    }

    /// Reads what the session has sent.
    ///
    /// - Parameter bytes: one or more frames, or a part of one.
    package func receive(_ bytes: SharedBytes) {
        bytes.withBytes { all in
            var rest = all
            do throws(WireError) {
                while ending == nil, let body = try incoming.next(&rest) {
                    if let frame = LineFrame(body) {
                        take(frame, body, endingAt: all.count - rest.count, of: bytes)
                    } else if let ack = MessageDecoder.plainAck(body) {
                        didReceive(ack)
                    } else {
                        try receive(try MessageDecoder.plainServerMessage(body))
                    }
                }
            } catch {
                end(.broken(error.message.text))
            }
        }
    }

    // MARK: Frames

    /// Sends a message, unless it is longer than the session accepts.
    @discardableResult
    func send(_ message: ClientMessage) -> Bool {
        var frames = frames.take() ?? ByteWriter(capacity: LineMember.shortBytes)
        let start = frames.count
        frames.writeFrame(message)
        let isTaken = frames.count - start <= welcome?.limits.clientFrameBytes ?? .max
        if !isTaken { frames.cut(to: start) }
        if frames.count > 0 { self.frames = consume frames }
        return isTaken
    }

    // MARK: Lines

    /// A new id.
    func makeID() -> Identifier { RandomName.make(prefix: "i-", random: random()) }

    func emit(_ line: ServerLine) {
        if joiner.isWithinLine {
            var writer = JSONWriter(capacity: LineMember.shortBytes)
            writer.write(line)
            return emit(LinePiece(SharedBytes(copying: writer.bytes)))
        }
        var lines = ownLines.take() ?? JSONWriter(capacity: LineMember.shortBytes)
        if lines.count > 0 { lines.endLine() }
        lines.write(line)
        ownLines = consume lines
    }

    private func endOwnLines() {
        guard let lines = ownLines.take() else { return }
        pieces.append(LinePiece(SharedBytes(copying: lines.bytes)))
    }

    private func append(_ piece: LinePiece) {
        endOwnLines()
        pieces.append(piece)
    }

    /// Emits the change of a view. A long line is left to the owner to write.
    func emit(_ change: ViewChange, of view: ViewNumber, named name: Identifier) {
        if change.elementCount <= UnwrittenLine.fewElements {
            let line = ViewLine(change, of: name)
            if line.weight <= SessionRequest.smallBytes { return emit(.viewUpdate(line)) }
        }
        emit(LinePiece(UnwrittenLine(change: change, name: name, view: view)))
    }

    private func emit(_ line: LinePiece) {
        guard joiner.isWithinLine else { return append(line) }
        deferred.append(line)
        deferredBytes += line.bytes.count + (line.unwritten?.memoryBytes ?? 0)
        if deferredBytes > LineMember.maximumDeferredBytes { end(.overflow) }
    }

    /// Answers the current line with an error.
    func refuseLine(_ code: String, _ message: String) {
        // A line that can't be read has a code that no message of the protocol has.
        countRefusal(ErrorCode(rawValue: code) ?? .badMessage)
        emit(.error(ServerLine.Failure(code: code, message: message, line: lineNumber)))
    }

    func end(_ ending: Ending) {
        guard self.ending == nil else { return }
        self.ending = ending
        guard !joiner.isWithinLine else { return }
        switch ending {
        case .refused(let error): emit(.error(ServerLine.Failure(error)))
        case .broken(let text):
            emit(.error(ServerLine.Failure(code: "internalError", message: text, retry: true)))
        case .overflow: break
        }
    }

    /// Takes the shared text of a frame, without a copy if the frame is at the end of its bytes.
    private func take(
        _ frame: LineFrame, _ body: UnsafeRawBufferPointer, endingAt end: Int, of bytes: SharedBytes
    ) {
        let isAtEnd = end == bytes.count && body.count <= bytes.count
        let text =
            isAtEnd
            ? SharedBytes(endOf: bytes, from: end - body.count + frame.textOffset)
            : SharedBytes(copying: UnsafeRawBufferPointer(rebasing: body[frame.textOffset...]))
        take(text, frame.part)
    }

    /// Takes the text of a message.
    func take(_ text: SharedBytes, _ part: LinePart) {
        if case .line = part { return emit(LinePiece(text)) }
        let isWithinLine = joiner.isWithinLine
        let place: LineJoiner.Piece
        do throws(LineJoiner.MisplacedPart) {
            place = try joiner.add(part, ofBytes: text.count)
        } catch {
            return end(.broken("a part does not follow the one before"))
        }
        let hasText = place.offset < text.count
        if !place.before.isEmpty {
            append(
                LinePiece(
                    SharedBytes(place.before), beginsLine: !isWithinLine,
                    endsLine: place.endsLine && !hasText))
        }
        if hasText {
            append(
                LinePiece(
                    place.offset == 0 ? text : SharedBytes(endOf: text, from: place.offset),
                    beginsLine: !isWithinLine && place.before.isEmpty, endsLine: place.endsLine))
        }
        if place.endsLine { didShow(part) }
    }

    /// Notes the revision of a line that is complete, and lets go of what has waited for its end.
    private func didShow(_ part: LinePart) {
        switch part {
        case .batch(let part): revision = part.to
        case .snapshot(let part): revision = part.revision
        case .line: break
        }
        if deferred.isEmpty { return }
        endOwnLines()
        pieces += deferred
        deferred = []
        deferredBytes = 0
    }

    /// The history that a revision of the room belongs to.
    func origin(of revision: Revision) -> Origin? { roomIdentity?.origin(of: revision) }
}
