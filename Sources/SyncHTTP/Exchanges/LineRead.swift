import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// Reads of a room that are answered with lines of text: a snapshot, or what has changed.
///
/// First the session is asked for the room's figures. These say which room and which revision it
/// is, so that the answer can say so in its head, and the rest is asked for by that.
final class LineRead: SessionRequest {
    enum Goal {
        case snapshot(Revision?)
        /// A line for each revision, or one for all.
        case history(from: Revision, to: Revision?, everyRevision: Bool)
    }

    private let room: RoomName
    private let goal: Goal
    private let head: RequestHead
    private var joiner: LineJoiner
    private var statsRequest: RequestID = 0
    private var request: RequestID = 0
    private var fields = HTTPFields()
    private var hasText = false

    init(
        _ goal: Goal, of room: RoomName, for head: RequestHead, _ connection: HTTPConnection,
        _ session: RequestSession
    ) {
        self.goal = goal
        self.room = room
        self.head = head
        joiner = LineJoiner(room: room.text)
        super.init(connection, session)
    }

    override func ask() {
        statsRequest = session.nextRequest()
        session.link.send(.readStats(RoomRequest(request: statsRequest, room: room)))
    }

    override func receive(_ message: ServerMessage) {
        switch message {
        case .stats(let stats) where stats.request == statsRequest: read(stats)
        case .done(let done) where done.request == request: finishText()
        case .error(let error): end(error)
        default: break
        }
    }

    private func read(_ stats: Stats) {
        request = session.nextRequest()
        switch goal {
        case .snapshot(let wanted):
            let revision = wanted ?? stats.revision
            let tag = RevisionTag(stats.identity.origin(of: revision), revision)
            fields.add("ETag", tag.entityTag)
            fields.add("Content-Type", "application/json")
            if head.fields.list(of: "If-None-Match").contains(where: tag.matches) {
                return respond(Response(304, fields))
            }
            session.link.send(
                .readSnapshot(
                    ReadSnapshot(
                        request: request, room: room, revision: revision,
                        origin: stats.identity.origin(of: revision))))
        case .history(let from, let to, let everyRevision):
            // Between a revision and itself nothing changes.
            if from == to ?? stats.revision { return respond(Response(204)) }
            fields.add("Content-Type", everyRevision ? "application/jsonl" : "application/json")
            session.link.send(
                .readHistory(
                    ReadHistory(
                        request: request, room: room, from: from, until: to ?? stats.revision,
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
