import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// A transaction for a room: the line of `join` as the body, `{"ops":[…]}`.
///
/// The session joins the room for it, without being sent what changes there, and leaves when it has
/// the answer. The answer to the join says how far the room is, so that is what a transaction
/// without a base is based on.
final class TransactionPost: SessionRequest {
    /// A transaction that was read from a body.
    private struct Draft: Sendable {
        let operations: [ListOperation]
        let base: Revision?
        let origin: RoomOrigin?
        /// The hash of the body, if it is wanted.
        let hash: [UInt8]
    }

    private let room: RoomName
    /// The text of its idempotency key.
    private let key: String?
    private var body: RequestBody
    private var draft: Draft?
    private var counter: UInt64 = 0

    /// A body of fewer bytes is read at once.
    private static let smallBytes = 8 << 10

    init(
        _ room: RoomName, key: String?, _ connection: HTTPConnection, _ session: RequestSession
    ) {
        self.room = room
        self.key = key
        body = RequestBody(
            of: "a transaction", atMost: connection.gateway.wire.transactionBytes)
        super.init(connection, session)
    }

    override var memoryBytes: Int { 512 + body.memoryBytes }

    override func receive(_ bytes: [UInt8]) {
        if !isOver, let error = body.add(bytes) { refuse(error) }
    }

    // MARK: Reading it

    override func ask() {
        let (text, isHashed) = (body.take(), key != nil)
        guard text.count > TransactionPost.smallBytes else {
            return didRead(TransactionPost.read(text, isHashed: isHashed))
        }
        connection.gateway.performAside {
            TransactionPost.read(text, isHashed: isHashed)
        } then: { [weak self] in
            self?.didRead($0)
        }
    }

    private static func read(_ text: [UInt8], isHashed: Bool) -> Result<Draft, JSONError> {
        do throws(JSONError) {
            let line = SharedBytes(text)
            let command = try line.withBytes { bytes throws(JSONError) in
                try JoinCommand(line: bytes)
            }
            guard case .transaction(let operations, let base, _, let origin) = command else {
                throw JSONError(path: "", message: "must say ops")
            }
            return .success(
                Draft(
                    operations: operations, base: base, origin: origin,
                    hash: isHashed ? SHA256.hash(text) : []))
        } catch {
            return .failure(error)
        }
    }

    private func didRead(_ result: Result<Draft, JSONError>) {
        body.didRead()
        guard !isOver else { return }
        switch result {
        case .failure(let error):
            connection.gateway.count(Rejection(code: .malformed, message: error.description))
            respond(.error(status: 400, code: "malformed", error.description))
            connection.didWork()
        case .success(let draft):
            self.draft = draft
            // Who its author is depends on the user.
            if key == nil || session.hasBegun { join() }
        }
    }

    // MARK: Submitting it

    override func sessionDidBegin() {
        if key != nil, handle == nil { join() }
    }

    private func join() {
        guard let draft else { return }
        let author = author(of: draft)
        if key == nil { session.author = author }
        session.link.send(
            .join(
                Join(
                    request: session.nextRequest(), room: room, client: author.client,
                    secret: author.secret, viewOnly: true, counter: key == nil ? 0 : 1)))
    }

    private func author(of draft: Draft) -> RequestAuthor {
        if let key {
            return RequestAuthor(
                in: room, IdempotencyKey(key, bodyHash: draft.hash, of: session.user))
        }
        if let author = session.author, author.serves(room, base: draft.base) { return author }
        return RequestAuthor(in: room, session.random)
    }

    private func submit(to joined: Joined) {
        guard let draft else { return }
        self.draft = nil
        handle = joined.handle
        counter = key == nil ? joined.counter + 1 : 1
        let base = draft.base ?? joined.revision
        if key == nil { session.author?.didSubmit(base: base) }
        do throws(Rejection) {
            let transaction = ListTransaction(base: base, operations: draft.operations)
            let submit = try Submit(
                room: joined.handle, counter: counter, transaction: transaction,
                origin: draft.origin.map { Origin($0) })
            if let trace = connection.record.trace {
                session.note(trace, of: counter, in: joined.handle)
            }
            session.link.send(.submit(submit))
        } catch {
            connection.gateway.count(error)
            reject(error)
        }
    }

    override func receive(_ message: ServerMessage) {
        switch message {
        case .joined(let joined): submit(to: joined)
        case .ack(let ack) where ack.counter == counter:
            respond(.line(200, .ack(tx: counter, ack.commit)))
        case .reject(let reject) where reject.counter == counter: self.reject(reject.rejection)
        case .error(let error) where key != nil && error.code == .badSecret:
            respond(
                .error(
                    status: 422, code: "keyReused",
                    "another transaction was sent with this Idempotency-Key"))
        case .error(let error): end(error)
        default: break
        }
    }

    private func reject(_ rejection: Rejection) {
        var fields = HTTPFields()
        if rejection.code == .unavailable {
            fields.addRetry(afterMilliseconds: rejection.retryAfterMilliseconds)
        }
        respond(.line(rejection.code.status, .reject(tx: counter, rejection), fields))
    }
}
