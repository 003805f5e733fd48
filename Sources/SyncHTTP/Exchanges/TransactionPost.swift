import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// A transaction for a room: the line of `join` as the body, `{"ops":[…]}`.
///
/// The session joins the room without being sent what changes there, and stays in it for the next
/// requests, as long as they are for the same room.
final class TransactionPost: SessionRequest {
    /// A transaction that was read from a body.
    private struct Draft: Sendable {
        let operations: [ListOperation]
        let base: Revision?
        let origin: RoomOrigin?
    }

    private let room: RoomName
    private var body: [UInt8] = []
    private var draft: Draft?
    private var counter: UInt64 = 0
    private let mostBytes: Int

    /// A body of fewer bytes is read at once.
    private static let smallBytes = 8 << 10

    init(_ room: RoomName, _ connection: HTTPConnection, _ session: RequestSession) {
        self.room = room
        mostBytes = connection.gateway.wire.transactionBytes
        super.init(connection, session)
    }

    override var memoryBytes: Int { 512 + body.capacity }

    override func receive(_ bytes: [UInt8]) {
        guard !isOver else { return }
        body += bytes
        if body.count > mostBytes {
            body = []
            respond(
                .error(
                    status: 413, code: ErrorCode.frameTooLarge.rawValue,
                    "a transaction has at most \(mostBytes) bytes"))
        }
    }

    override func ask() {
        let text = body
        body = []
        guard text.count > TransactionPost.smallBytes else {
            return didRead(TransactionPost.read(text))
        }
        connection.gateway.performAside {
            TransactionPost.read(text)
        } then: { [weak self] in
            self?.didRead($0)
        }
    }

    private static func read(_ text: [UInt8]) -> Result<Draft, JSONError> {
        do throws(JSONError) {
            let line = SharedBytes(text)
            let command = try line.withBytes { bytes throws(JSONError) in
                try JoinCommand(line: bytes)
            }
            guard case .transaction(let operations, let base, _, let origin) = command else {
                throw JSONError(path: "", message: "must say ops")
            }
            return .success(Draft(operations: operations, base: base, origin: origin))
        } catch {
            return .failure(error)
        }
    }

    private func didRead(_ result: Result<Draft, JSONError>) {
        guard !isOver else { return }
        switch result {
        case .failure(let error):
            respond(.error(status: 400, code: "malformed", error.description))
            connection.didWork()
        case .success(let draft):
            self.draft = draft
            submit()
        }
    }

    private func submit() {
        guard let draft else { return }
        let membership = session.join(room, forBase: draft.base)
        guard let known = membership.known else { return }
        counter = membership.lastCounter + 1
        let base = draft.base ?? known.revision
        session.membership?.didSubmit(counter, base: base)
        do throws(Rejection) {
            let transaction = ListTransaction(base: base, operations: draft.operations)
            session.link.send(
                .submit(
                    try Submit(
                        room: known.handle, counter: counter, transaction: transaction,
                        origin: draft.origin.map { Origin($0) })))
        } catch {
            reject(error)
        }
    }

    override func receive(_ message: ServerMessage) {
        switch message {
        case .joined(let joined):
            session.membership?.didJoin(joined)
            submit()
        case .ack(let ack) where ack.counter == counter:
            session.membership?.didCommit(ack.commit.revision)
            respond(.line(200, .ack(tx: counter, ack.commit)))
        case .reject(let reject) where reject.counter == counter: self.reject(reject.rejection)
        case .error(let error):
            session.membership = nil
            end(error)
        default: break
        }
    }

    private func reject(_ rejection: Rejection) {
        // The room may take no later transaction of this author before this one comes again.
        if rejection.code == .unavailable { session.leave() }
        var fields = HTTPFields()
        if rejection.code == .unavailable {
            fields.addRetry(afterMilliseconds: rejection.retryAfterMilliseconds)
        }
        respond(.line(rejection.code.status, .reject(tx: counter, rejection), fields))
    }
}
