import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// Fills a room from a snapshot, as `collsync-cli import` does: the body is the file of an export.
///
/// Invariants:
/// 1. The body is read by pieces on a worker, one piece at a time. While a piece waits for that,
///    the connection reads no further.
/// 2. A piece is read only when all that was read before is on its way to the room, and few
///    transactions are in flight. So a slow store makes the client wait, and memory is bounded
///    however long the body is.
/// 3. The answer says what was committed, also if there is an error: it waits for what is in
///    flight.
final class ImportPost: RoomVisit {
    private let append: Bool
    private var body: [UInt8] = []
    private var hasAsked = false
    private var figuresRequest: RequestID?
    private var hasEnded = false
    /// `nil` while a worker has it.
    private var reader: ImportReader?
    /// What the reader took when it was here last.
    private var readerBytes = 0
    private var isWholeRead = false
    /// Transactions that were read and are not sent.
    private var transactions: Fifo<ImportTransaction> = Fifo()
    private var count = ImportCount()
    private var counter: UInt64 = 0
    private var revision: Revision = 0
    /// Why the import ends before the body.
    private var failure: ImportError?

    /// A piece of the body. What is made of it takes some twenty times as much.
    static let pieceBytes = 64 << 10
    private static let mostInFlight = 8

    init(
        _ room: RoomName, append: Bool, _ connection: HTTPConnection, _ session: RequestSession
    ) {
        self.append = append
        reader = ImportReader(append: append, within: connection.gateway.wire)
        super.init(room, connection, session)
    }

    override var memoryBytes: Int {
        1024 + body.capacity + readerBytes
            + ImportPost.pieceBytes * (isIdle ? 0 : ImportPost.growth)
    }

    private static let growth = 20
    private var isIdle: Bool { reader != nil && transactions.isEmpty }

    /// Answers to its transactions are nobody else's.
    override var leavesMoreBehind: Bool { super.leavesMoreBehind || count.unanswered > 0 }

    // MARK: The body

    override var isFull: Bool { failure != nil || body.count >= ImportPost.pieceBytes }

    override func receive(_ bytes: [UInt8]) {
        guard !isOver, failure == nil else { return }
        body += bytes
        if session.hasBegun { begin() }
        goOn()
    }

    override func didBegin() { begin() }

    override func ask() {
        hasEnded = true
        begin()
        goOn()
    }

    private func begin() {
        if hasAsked { return }
        hasAsked = true
        if append { return join() }
        let request = session.nextRequest()
        figuresRequest = request
        session.link.send(.readStats(RoomRequest(request: request, room: room)))
    }

    /// The room is there: joins it, if it is empty.
    private func receive(_ stats: Stats) {
        let (items, sections) = (stats.figures[.items] ?? 0, stats.figures[.sections] ?? 0)
        guard items == 0 && sections <= 1 else {
            return respond(
                .error(
                    status: 409, code: "notEmpty",
                    "the room has items or sections already: append=true adds to them"))
        }
        join()
    }

    override func didJoin(_ joined: Joined) {
        revision = joined.revision
        counter = joined.counter
        goOn()
    }

    /// Does what can be done now.
    private func goOn() {
        guard joined != nil, !isOver else { return }
        while failure == nil, let next = transactions.first,
            count.canJudge(section: next.section, mostInFlight: ImportPost.mostInFlight)
        {
            _ = transactions.popFirst()
            if count.allows(section: next.section) { submit(next) }
        }
        if failure != nil {
            if count.unanswered == 0, reader != nil { respond(answer()) }
            return
        }
        guard transactions.isEmpty, reader != nil else { return }
        if isWholeRead {
            if count.unanswered == 0 { respond(answer()) }
        } else if hasEnded || body.count >= ImportPost.pieceBytes {
            readPiece()
        }
    }

    private func readPiece() {
        guard let former = reader else { return }
        reader = nil
        let (piece, isLast) = (body, hasEnded)
        body = []
        connection.readLater()
        performAside {
            var reader = former
            let result = reader.read(piece, isLast: isLast)
            return (reader, result)
        } then: { [self] reader, result in
            self.reader = reader
            readerBytes = reader.memoryBytes
            isWholeRead = isLast
            switch result {
            case .success(let read): for transaction in read { transactions.append(transaction) }
            case .failure(let error):
                connection.gateway.count(
                    Rejection(code: .malformed, message: error.text))
                fail(error)
            }
            goOn()
        }
    }

    // MARK: Transactions

    private func submit(_ read: ImportTransaction) {
        guard let joined else { return }
        counter += 1
        do throws(Rejection) {
            var transaction = try read.operations.get()
            transaction.base = revision
            count.didSend(counter, read.origin)
            session.link.send(
                .submit(
                    Submit(room: joined.handle, counter: counter, transaction: transaction)))
        } catch {
            connection.gateway.count(error)
            fail(error)
        }
    }

    override func receiveAsMember(_ message: ServerMessage) {
        switch message {
        case .stats(let stats) where stats.request == figuresRequest: receive(stats)
        case .error(let error) where error.subject == figuresRequest.map { .request($0) }:
            if error.code == .roomNotFound { join() } else { end(error) }
        case .ack(let ack) where ack.room == joined?.handle:
            count.didCommit(ack.counter, without: ack.commit.superseded)
            revision = max(revision, ack.commit.revision)
            goOn()
        case .reject(let reject) where reject.room == joined?.handle:
            fail(count.didReject(reject.counter, reject.rejection))
            goOn()
        default: break
        }
    }

    private func fail(_ rejection: Rejection) {
        let isTemporary = rejection.code == .unavailable
        fail(
            ImportError(
                status: rejection.status, code: rejection.code.name,
                text: rejection.message,
                retryAfterMilliseconds: isTemporary ? rejection.retryAfterMilliseconds : nil))
    }

    private func fail(_ failure: ImportError) {
        if self.failure == nil { self.failure = failure }
        body = []
        transactions = Fifo()
    }

    // MARK: The answer

    private func answer() -> Response {
        if let failure { return answer(failure) }
        guard append || !count.hasSkipped else {
            return answer(
                ImportError(
                    status: 422, code: "repeated",
                    text: "somebody else has made an item or a section with an id of the body"))
        }
        return .json(200, ["import": figures])
    }

    private var figures: JSONTree {
        [
            "items": .count(UInt64(count.items)), "skipped": .count(UInt64(count.skippedItems)),
            "revision": .count(revision),
        ]
    }

    private func answer(_ failure: ImportError) -> Response {
        var members: [JSONTree.Member] = [
            JSONTree.Member("code", .text(failure.code)),
            JSONTree.Member("message", .text(failure.text)),
        ]
        var fields = HTTPFields()
        if let wait = failure.retryAfterMilliseconds {
            members.append(JSONTree.Member("retry", true))
            fields.addRetry(afterMilliseconds: wait)
        }
        return .json(failure.status, ["error": .object(members), "import": figures], fields)
    }

    override func response(to error: ErrorMessage) -> Response {
        answer(
            ImportError(
                status: error.code.status, code: error.code.rawValue, text: error.text,
                retryAfterMilliseconds: error.retry ? error.retryAfterMilliseconds : nil))
    }
}
