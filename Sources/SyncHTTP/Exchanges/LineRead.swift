import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// Reads of a room that are answered with lines of text: a snapshot, or what has changed.
///
/// First it finds out which room it is, and which revision. So the answer can say so in its head,
/// and the rest is asked for by that.
final class LineRead: RoomExchange {
    enum Goal {
        case snapshot(Revision?)
        /// A line for each revision, or one for all.
        case history(from: Revision, to: Revision?, everyRevision: Bool)
    }

    private let goal: Goal
    private let head: RequestHead
    private var joiner: LineJoiner
    private var request: RequestID = 0
    private var fields = HTTPFields()
    private var hasText = false

    init(
        _ goal: Goal, of room: RoomName, for head: RequestHead, _ connection: HTTPConnection,
        _ session: RequestSession
    ) {
        self.goal = goal
        self.head = head
        joiner = LineJoiner(room: room.text)
        super.init(room, connection, session)
    }

    override func ask() { find() }

    override func receiveInside(_ message: ServerMessage) {
        switch message {
        case .done(let done) where done.request == request: finishText()
        case .error(let error): end(error)
        default: break
        }
    }

    override func didFind(_ newest: RevisionTag) {
        request = session.nextRequest()
        switch goal {
        case .snapshot(let wanted):
            guard let tag = tag(of: wanted, in: newest) else { return }
            if head.hasNoneMatch(tag, newest: newest) { return respond(.unchanged(tag)) }
            fields.add("ETag", tag.entityTag)
            fields.add("Content-Type", "application/json")
            session.link.send(
                .readSnapshot(
                    ReadSnapshot(
                        request: request, room: room, revision: tag.revision,
                        origin: tag.origin)))
        case .history(let from, let to, let everyRevision):
            let until = to ?? newest.revision
            guard tag(of: max(from, until), in: newest) != nil else { return }
            // Between a revision and itself nothing changes.
            if from == until { return respond(Response(204)) }
            fields.add("Content-Type", everyRevision ? "application/jsonl" : "application/json")
            session.link.send(
                .readHistory(
                    ReadHistory(
                        request: request, room: room, from: from, until: until,
                        everyRevision: everyRevision)))
        }
    }

    override func receive(_ part: LinePart, _ text: SharedBytes) {
        // A warning, for instance, that the exchange before has left behind.
        if case .line = part { return }
        guard let piece = try? joiner.add(part, ofBytes: text.count) else {
            return end(ErrorMessage(.internalError, "the parts of the answer do not fit"))
        }
        if !hasText {
            hasText = true
            begin(200, fields)
        }
        var parts: [SharedBytes] = []
        if !piece.before.isEmpty { parts.append(SharedBytes(piece.before)) }
        parts.append(SharedBytes(endOf: text, from: piece.offset))
        if piece.endsLine { parts.append(LineRead.lineEnd) }
        write(parts)
    }

    private static let lineEnd = SharedBytes([UInt8(ascii: "\n")])

    private func finishText() {
        if hasText { endResponse() } else { respond(Response(204)) }
    }
}
