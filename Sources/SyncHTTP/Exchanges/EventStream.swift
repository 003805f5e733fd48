import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// A room as server-sent events: a batch each, or a snapshot in place of batches.
///
/// The client is a member of the room like any other. While it takes nothing, it is sent nothing:
/// then one batch of all that it lacks follows.
///
/// If the client takes gzip, a batch is compressed once for all such clients. What is only its own
/// stays as it is within the body.
final class EventStream: RoomExchange {
    private let start: RevisionTag?
    private let from: Revision?
    /// What the client has, by ``from``. It is sent at once, as an id without an event: the
    /// client may come back before anything has changed, and the name may be another room's by
    /// then.
    private var known: RevisionTag?
    private var joiner: LineJoiner
    private var identity: RoomIdentity?
    /// Whether the event that is being written has begun.
    private var isInEvent = false
    /// The origin of the last revision, which stands in each id.
    private var lastOrigin: (origin: Origin, text: String)?
    /// The body so far, if it is compressed.
    private var gzip: GzipBody?

    /// - Parameters:
    ///   - start: where an earlier stream ended.
    ///   - from: the revision to begin from, if there was none.
    init(
        _ room: RoomName, after start: RevisionTag?, from: Revision?,
        _ connection: HTTPConnection, _ session: RequestSession
    ) {
        self.start = start
        self.from = from
        joiner = LineJoiner(room: room.text)
        gzip = session.encoding == .gzipJSON ? GzipBody() : nil
        super.init(room, connection, session)
    }

    override func ask() {
        // A revision counts only with its origin.
        if start == nil, from != nil { find() } else { join(from: start) }
    }

    override func didFind(_ newest: RevisionTag) {
        known = from.map { RevisionTag(newest.origin, $0) }
        join(from: known)
    }

    private func join(from start: RevisionTag?) {
        session.link.send(
            .join(
                Join(
                    request: session.nextRequest(), room: room,
                    client: RandomName.make(prefix: "h-", random: session.random()),
                    from: start?.revision, origin: start?.origin)))
    }

    override func receiveInside(_ message: ServerMessage) {
        switch message {
        case .joined(let joined):
            identity = joined.identity
            handle = joined.handle
            var fields = HTTPFields([
                "Content-Type": "text/event-stream", "Cache-Control": "no-store",
                "X-Accel-Buffering": "no", "Vary": "Accept-Encoding",
            ])
            if gzip != nil { fields.add("Content-Encoding", "gzip") }
            begin(200, fields)
            if isOver { return }
            if gzip != nil { write([GzipBody.beginning]) }
            if let known { write(text: [SharedBytes(Array("id: \(known.text)\n\n".utf8))]) }
        case .error(let error): end(error)
        default: break
        }
    }

    override func receive(_ part: LinePart, _ text: SharedBytes) {
        guard let place = place(of: part, ofBytes: text.count) else { return }
        var parts = place.text.isEmpty ? [] : [SharedBytes(place.text)]
        parts.append(SharedBytes(endOf: text, from: place.offset))
        if place.endsEvent { parts.append(EventStream.eventEnd) }
        write(text: parts)
    }

    override func receive(_ part: LinePart, _ piece: GzipPiece) {
        guard let place = place(of: part, ofBytes: piece.textBytes) else { return }
        guard var body = gzip, place.offset == 0, place.endsEvent else {
            return end(EventStream.misplaced)
        }
        let head = body.add(GzipBlock(place.text))
        write([head, body.add(piece), body.add(EventStream.eventEndBlock)])
        gzip = body
    }

    /// Adds a part to the line of the event that is being written.
    ///
    /// - Returns: what is written before the part's text, from which byte on that text is written,
    ///   and whether the event ends with it; `nil` if the part does not fit.
    private func place(
        of part: LinePart, ofBytes count: Int
    ) -> (text: [UInt8], offset: Int, endsEvent: Bool)? {
        guard let identity else { return nil }
        guard let piece = try? joiner.add(part, ofBytes: count) else {
            end(EventStream.misplaced)
            return nil
        }
        let text = (isInEvent ? [] : Array(beginning(of: part, identity).utf8)) + piece.before
        isInEvent = !piece.endsLine
        return (text, piece.offset, piece.endsLine)
    }

    private static let misplaced = ErrorMessage(
        .internalError, "the parts of the room do not fit")

    /// Writes text, which stays as it is.
    private func write(text: [SharedBytes]) {
        write(gzip == nil ? text : text.flatMap { gzip?.add($0) ?? [] })
    }

    /// The lines of an event before its data. An event without a name is a `message`.
    private func beginning(of part: LinePart, _ identity: RoomIdentity) -> String {
        switch part {
        case .batch(let part): idLine(part.to, identity) + "data: "
        case .snapshot(let part): "event: snapshot\n" + idLine(part.revision, identity) + "data: "
        case .line: "data: "
        }
    }

    private func idLine(_ revision: Revision, _ identity: RoomIdentity) -> String {
        let origin = identity.origin(of: revision)
        if lastOrigin?.origin != origin { lastOrigin = (origin, RevisionTag.text(of: origin)) }
        return "id: \(lastOrigin?.text ?? "").\(revision)\n"
    }

    override var leavesMoreBehind: Bool { true }

    override func conclude(_ error: ErrorMessage) -> Bool {
        guard !isInEvent else { return false }
        var writer = JSONWriter()
        writer.write(.error(ServerLine.Failure(error)))
        let text = String(decoding: writer.bytes, as: UTF8.self)
        write(text: [SharedBytes(Array("event: error\ndata: \(text)\n\n".utf8))])
        if let gzip { write([gzip.end]) }
        return true
    }

    private static let eventEnd = SharedBytes(Array("\n\n".utf8))
    private static let eventEndBlock = GzipBlock(Array("\n\n".utf8))
    private static let comment = SharedBytes(Array(":\n\n".utf8))

    /// A comment, so that proxies and the client see that the stream lives.
    override func receiveHeartbeat() {
        if identity != nil, !isInEvent { write(text: [EventStream.comment]) }
    }
}
