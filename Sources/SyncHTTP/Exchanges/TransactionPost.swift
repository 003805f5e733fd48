import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// A transaction for a room: the line of `join` as the body, `{"ops":[…]}`.
///
/// The session joins the room for it, without being sent what changes there. The answer to the join
/// says how far the room is, so that is what a transaction without a base is based on. Without a
/// key the session then stays for the next transaction (``RoomStay``).
final class TransactionPost: SessionRequest {
    /// A transaction that was read from a body.
    private struct Draft: Sendable {
        /// Its operations, as they are sent, or why they can't be. To pack them takes as long as to
        /// read them.
        let operations: Result<PackedTransaction, Rejection>
        let base: Revision?
        let origin: RoomOrigin?
        /// The hash of the body, if it is wanted.
        let hash: [UInt8]

        var memoryBytes: Int { ((try? operations.get().bytes.count) ?? 0) + hash.count }
    }

    private let room: RoomName
    /// The text of its idempotency key.
    private let key: ForeignText?
    private var body: RequestBody
    private var draft: Draft?
    private var counter: UInt64 = 0

    init(
        _ room: RoomName, key: ForeignText?, _ connection: HTTPConnection, _ session: RequestSession
    ) {
        self.room = room
        self.key = key
        body = RequestBody(
            of: "a transaction", atMost: connection.gateway.wire.transactionBytes)
        super.init(connection, session, goingOnIn: key == nil ? room : nil)
    }

    override var memoryBytes: Int { 512 + body.memoryBytes + (draft?.memoryBytes ?? 0) }

    override func refusal(ofBodyBytes count: Int) -> ErrorMessage? {
        body.refusal(ofBytes: count)
    }

    override func receive(_ bytes: [UInt8]) {
        if !isOver, let error = body.add(bytes) { refuse(error) }
    }

    // MARK: Reading it

    override func ask() {
        let (text, isHashed) = (body.take(), key != nil)
        let limits = connection.gateway.wire
        perform(onBytes: text.count) {
            TransactionPost.read(text, within: limits, isHashed: isHashed)
        } then: { [self] in
            didRead($0)
        }
    }

    private static func read(
        _ text: [UInt8], within limits: WireLimits, isHashed: Bool
    ) -> Result<Draft, JSONError> {
        do throws(JSONError) {
            let line = SharedBytes(text)
            let command = try line.withBytes { bytes throws(JSONError) in
                try JoinCommand(line: bytes)
            }
            guard
                case .transaction(
                    let operations, let base, let number, let origin, let isAllOrNothing) = command
            else { throw JSONError(path: "", message: "must say ops") }
            guard number == nil else {
                throw JSONError(path: "tx", message: "a request has no number")
            }
            return .success(
                Draft(
                    operations: PackedTransaction.packing(
                        operations, isAllOrNothing: isAllOrNothing, within: limits),
                    base: base, origin: origin, hash: isHashed ? SHA256.hash(text) : []))
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
        case .success(let draft):
            self.draft = draft
            enter()
        }
    }

    // MARK: Submitting it

    /// Goes on as the member that the session has stayed, or joins.
    private func enter() {
        guard let draft, let stay = session.stay else { return join() }
        guard session.author?.serves(room, base: draft.base) == true else {
            session.leave(stay.handle)
            return join()
        }
        handle = stay.handle
        session.server.newestRevision(of: stay.handle) { [weak self] revision in
            guard let self, !isOver else { return }
            guard let revision, let author = session.author else {
                // It is no member any more, and is told so now.
                session.forgetStay(in: stay.handle)
                handle = nil
                return join()
            }
            submit(author.counter + 1, to: stay.handle, at: revision)
        }
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

    /// - Parameter newest: the room's newest revision.
    private func submit(_ counter: UInt64, to room: RoomHandle, at newest: Revision) {
        guard let draft else { return }
        self.draft = nil
        (self.counter, handle) = (counter, room)
        let base = draft.base ?? newest
        if key == nil { session.author?.didSubmit(counter, base: base) }
        do throws(Rejection) {
            var transaction = try draft.operations.get()
            transaction.base = base
            let submit = Submit(
                room: room, counter: counter, transaction: transaction,
                origin: draft.origin.map { Origin($0) })
            if let trace = connection.record.trace {
                session.note(trace, of: counter, in: room)
            }
            session.link.send(.submit(submit))
        } catch {
            connection.gateway.count(error)
            reject(error)
            connection.didWork()
        }
    }

    override func receive(_ message: ServerMessage) {
        switch message {
        case .joined(let joined):
            submit(
                key == nil ? joined.counter + 1 : 1, to: joined.handle, at: joined.revision)
        case .ack(let ack) where ack.counter == counter:
            if key == nil, let handle = handle.take() { session.stay(in: room, handle) }
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
        respond(.line(rejection.status, .reject(tx: counter, rejection), fields))
    }
}
