import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// A room's items as comma-separated values, an item a line.
///
/// The first line has the names of all fields, and is sent before the last item is known. So the
/// room is read twice at one revision, unless the request names the fields.
///
/// Invariants:
/// 1. What the session sends is read on a worker, in the order in which it comes. What waits for
///    that counts as not taken, so the session sends no more.
/// 2. So memory is that of some parts of a snapshot, however large the room is.
final class TableRead: RoomExchange {
    private let revision: Revision?
    private let head: RequestHead
    private var columns: [Identifier]?
    private var request: RequestID = 0
    private var source: RevisionTag?
    private var joiner: LineJoiner
    /// `nil` while a worker has it.
    private var reader: TableReader?
    private var pieces: [SharedBytes] = []
    private var pieceBytes = 0
    /// The bytes that the reader has, and has not read.
    private var readerBytes = 0
    private var isWholeSent = false
    /// Whether lines are written that the client has not taken.
    private var isWriting = false

    /// - Parameter fields: the fields to write; `nil` for all.
    init(
        _ room: RoomName, at revision: Revision?, fields: [Identifier]?, for head: RequestHead,
        _ connection: HTTPConnection, _ session: RequestSession
    ) {
        self.revision = revision
        self.head = head
        columns = fields
        joiner = LineJoiner(room: room.text)
        super.init(room, connection, session)
    }

    override var memoryBytes: Int { 1024 + untakenBytes + (reader?.memoryBytes ?? 0) }
    override var untakenBytes: Int { pieceBytes + readerBytes }

    override var leavesMoreBehind: Bool { source != nil && !isWholeSent }

    override func ask() { find() }

    override func didFind(_ newest: RevisionTag) {
        guard let source = tag(of: revision, in: newest) else { return }
        if head.hasNoneMatch(source, newest: newest) { return respond(.unchanged(source)) }
        self.source = source
        beginPass()
    }

    override func receiveInside(_ message: ServerMessage) {
        switch message {
        case .done(let done) where done.request == request:
            isWholeSent = true
            goOn()
        case .error(let error): end(error)
        default: break
        }
    }

    /// Reads the room, for its columns or for its items.
    private func beginPass() {
        guard let source else { return }
        joiner = LineJoiner(room: room.text)
        reader = TableReader(columns: columns)
        isWholeSent = false
        request = session.nextRequest()
        session.link.send(
            .readSnapshot(
                ReadSnapshot(
                    request: request, room: room, revision: source.revision,
                    origin: source.origin)))
    }

    override func receive(_ part: LinePart, _ text: SharedBytes) {
        // A warning, for instance, that the exchange before has left behind.
        if case .line = part { return }
        guard let piece = try? joiner.add(part, ofBytes: text.count) else {
            return refuse(ErrorMessage(.internalError, "the parts of the room do not fit"))
        }
        let own = SharedBytes(endOf: text, from: piece.offset)
        pieces += piece.before.isEmpty ? [own] : [SharedBytes(piece.before), own]
        pieceBytes += piece.before.count + own.count
        goOn()
    }

    private func goOn() {
        guard !isOver, !isWriting, let former = reader else { return }
        guard readerBytes > 0 || !pieces.isEmpty else {
            if isWholeSent { finishPass(former) }
            return
        }
        let pieces = pieces
        readerBytes += pieceBytes
        (reader, self.pieces, pieceBytes) = (nil, [], 0)
        performAside {
            var reader = former
            let result = reader.read(pieces)
            return (reader, result)
        } then: { [self] reader, result in
            self.reader = reader
            didRead(result)
        }
    }

    private func didRead(_ result: Result<TableReader.Lines, TableFault>) {
        switch result {
        case .success(let lines):
            if !lines.hasMore { readerBytes = 0 }
            if !lines.bytes.isEmpty {
                beginTable()
                isWriting = true
                write([SharedBytes(lines.bytes)])
            }
            goOn()
            connection.didWork()
            session.didTake()
        case .failure(.tooManyColumns):
            refuse(
                ErrorMessage(
                    .limitExceeded,
                    "the items have more than \(TableReader.mostColumns) fields, or very long"
                        + " names: name those to write by 'fields'"))
        case .failure(.unreadable):
            refuse(ErrorMessage(.internalError, "the parts of the room can't be read"))
        }
    }

    override func didWrite() {
        isWriting = false
        goOn()
    }

    private func finishPass(_ reader: TableReader) {
        guard columns == nil else {
            beginTable()
            return endResponse()
        }
        columns = reader.foundColumns
        beginPass()
    }

    /// Begins the response with the names of the columns.
    private func beginTable() {
        guard !hasBegun, let columns, let source else { return }
        begin(
            200,
            HTTPFields([
                "Content-Type": "text/csv; charset=utf-8; header=present",
                "Content-Disposition": "attachment; filename=\"export.csv\"",
                "X-Content-Type-Options": "nosniff", "ETag": source.entityTag,
            ]))
        write([SharedBytes(TableReader.header(of: columns))])
    }
}
