import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// A request that is asked of the connection's session, from the end of its head to the end of its
/// response. Kinds of requests are its subclasses.
///
/// It answers by its ``HTTPConnection``, at once or later. The connection reads no other request
/// before that.
class SessionRequest {
    unowned let connection: HTTPConnection
    let session: RequestSession
    /// The number of its first request to the session. Errors about earlier ones belong to earlier
    /// requests of the connection.
    let firstRequest: RequestID
    /// The room that it is in.
    final var handle: RoomHandle?
    private(set) var isOver = false
    private var isWhole = false
    /// Whether the response has begun.
    private(set) var hasBegun = false

    /// - Parameter room: where the session goes on, if it has stayed there.
    init(
        _ connection: HTTPConnection, _ session: RequestSession, goingOnIn room: RoomName? = nil
    ) {
        session.leave(unlessIn: room)
        self.connection = connection
        self.session = session
        firstRequest = session.nextRequestID
        session.begin(self)
    }

    /// The memory that it uses, in bytes.
    var memoryBytes: Int { 256 }
    /// Whether it takes no more of the body now. Then it has the connection read on later.
    var isFull: Bool { false }
    /// How many bytes of what it was sent it has not read yet.
    var untakenBytes: Int { 0 }

    /// Why a body of so many bytes need not come; `nil` if it may.
    func refusal(ofBodyBytes count: Int) -> ErrorMessage? { nil }
    /// A part of the body.
    func receive(_ body: [UInt8]) {}
    /// The request is whole, and the session has begun for the user that the token names: reads the
    /// body, and asks the session. Nothing is worked for who has not been let in.
    func ask() {}
    /// A message of the session, other than the texts.
    func receive(_ message: ServerMessage) {}
    /// A part of a line, as text.
    func receive(_ part: LinePart, _ text: SharedBytes) {}
    /// A line as a piece of gzip, of a session whose encoding has them.
    func receive(_ part: LinePart, _ piece: GzipPiece) {}
    /// The session sends a heartbeat.
    func receiveHeartbeat() {}
    /// What was written of a streamed body is taken. More may be written.
    func didWrite() {}

    /// Whether more may come of what it has asked for when it is over.
    var leavesMoreBehind: Bool { hasBegun && connection.output.isHeadAlone }

    /// Ends a response that has begun, if it can say why it ends.
    ///
    /// - Returns: `false` if the client has to notice that the end is missing.
    func conclude(_ error: ErrorMessage) -> Bool { false }

    /// The answer to a request that ends with an error before there is another one.
    func response(to error: ErrorMessage) -> Response { .error(error) }

    final func receiveEnd() {
        isWhole = true
        askIfReady()
    }

    final func sessionDidBegin() {
        didBegin()
        askIfReady()
    }

    /// The session has begun, perhaps before the request is whole.
    func didBegin() {}

    private func askIfReady() {
        if isWhole, session.hasBegun, !isOver { ask() }
    }

    /// The client is gone. The connection is not used any more.
    final func cancel() {
        guard !isOver else { return }
        finish()
        // What it has asked for is dropped with the session.
        session.close()
    }

    /// The server goes down, or the session refuses to go on: answers within this call.
    final func end(_ error: ErrorMessage) {
        guard !isOver else { return }
        if case .room = error.subject { handle = nil }
        finish()
        if !hasBegun {
            connection.respond(response(to: error))
        } else if conclude(error) {
            connection.endResponse()
        } else {
            connection.breakResponse()
        }
    }

    // MARK: Responses

    final func respond(_ response: Response) {
        guard !isOver else { return }
        finish()
        connection.respond(response)
    }

    /// Refuses the request by an error that no session has sent, and counts it.
    final func refuse(_ error: ErrorMessage) {
        guard !isOver else { return }
        connection.gateway.count(error.code)
        end(error)
    }

    /// Refuses a body that can't be read, and counts that.
    final func refuse(malformed text: String) {
        guard !isOver else { return }
        connection.gateway.count(.badMessage)
        respond(.error(status: 400, code: "malformed", text))
    }

    /// Begins a streamed response. To HEAD that is all of it, and the request is over: what it has
    /// asked for is not waited for.
    final func begin(_ status: Int = 200, _ fields: HTTPFields) {
        hasBegun = true
        connection.beginResponse(status, fields)
        if connection.output.isHeadAlone { endResponse() }
    }

    final func write(_ parts: [SharedBytes]) {
        connection.write(parts)
    }

    final func endResponse() {
        guard !isOver else { return }
        finish()
        connection.endResponse()
    }

    private func finish() {
        isOver = true
        session.end(self)
        if leavesMoreBehind {
            session.close()
        } else if let handle {
            session.leave(handle)
        }
    }

    // MARK: Work

    /// What so few bytes take is done at once; more is done on a worker.
    static let smallBytes = 8 << 10

    /// Does work that takes as long as a number of bytes, on a worker if they are many. Then goes
    /// on with its result.
    final func perform<Result: Sendable>(
        onBytes count: Int, _ work: @escaping @Sendable () -> Result,
        then goOn: @escaping (Result) -> Void
    ) {
        if count > SessionRequest.smallBytes {
            performAside(work, then: goOn)
        } else {
            goOn(work())
        }
    }

    /// Does work on a worker, in the turn of whoever has signed in, and goes on with its result
    /// unless the request is over by then.
    final func performAside<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, then goOn: @escaping (Result) -> Void
    ) {
        connection.gateway.performAside(work) { [self] result in
            guard !isOver else { return }
            connection.gateway.perform {
                goOn(result)
                connection.didWork()
            }
        }
    }
}
