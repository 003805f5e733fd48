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
final class EventStream: RoomExchange {
    private let start: RevisionTag?
    private let from: Revision?
    private var joiner: LineJoiner
    private var identity: RoomIdentity?
    /// Whether the event that is being written has begun.
    private var isInEvent = false

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
        super.init(room, connection, session)
    }

    override func ask() {
        // A revision counts only with its origin.
        if start == nil, from != nil { find() } else { join(from: start) }
    }

    override func didFind(_ newest: RevisionTag) {
        join(from: from.map { RevisionTag(newest.origin, $0) })
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
            begin(
                200,
                HTTPFields([
                    "Content-Type": "text/event-stream", "Cache-Control": "no-store",
                    "X-Accel-Buffering": "no",
                ]))
        case .error(let error): end(error)
        default: break
        }
    }

    override func receive(_ part: LinePart, _ text: SharedBytes) {
        guard let identity else { return }
        guard let piece = try? joiner.add(part, ofBytes: text.count) else {
            return end(ErrorMessage(.internalError, "the parts of the room do not fit"))
        }
        var parts: [SharedBytes] = []
        if !isInEvent {
            isInEvent = true
            parts.append(SharedBytes(Array(beginning(of: part, identity).utf8)))
        }
        if !piece.before.isEmpty { parts.append(SharedBytes(piece.before)) }
        parts.append(SharedBytes(endOf: text, from: piece.offset))
        if piece.endsLine {
            isInEvent = false
            parts.append(EventStream.eventEnd)
        }
        write(parts)
    }

    /// The lines of an event before its data. An event without a name is a `message`.
    private func beginning(of part: LinePart, _ identity: RoomIdentity) -> String {
        func id(_ revision: Revision) -> String {
            "id: \(RevisionTag(identity.origin(of: revision), revision).text)\n"
        }
        return switch part {
        case .batch(let part): id(part.to) + "data: "
        case .snapshot(let part): "event: snapshot\n" + id(part.revision) + "data: "
        case .line: "data: "
        }
    }

    override var leavesMoreBehind: Bool { true }

    override func conclude(_ error: ErrorMessage) -> Bool {
        guard !isInEvent else { return false }
        var writer = JSONWriter()
        writer.write(.error(ServerLine.Failure(error)))
        let text = String(decoding: writer.bytes, as: UTF8.self)
        write([SharedBytes(Array("event: error\ndata: \(text)\n\n".utf8))])
        return true
    }

    private static let eventEnd = SharedBytes(Array("\n\n".utf8))
    private static let comment = SharedBytes(Array(":\n\n".utf8))

    /// A comment, so that proxies and the client see that the stream lives.
    override func receiveHeartbeat() {
        if identity != nil, !isInEvent { write([EventStream.comment]) }
    }
}
