import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// A request that is asked of the connection's session. Kinds of requests are its subclasses.
class SessionRequest: SessionExchange {
    unowned let connection: HTTPConnection
    let session: RequestSession
    let firstRequest: RequestID
    final var handle: RoomHandle?
    private(set) var isOver = false
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

    var memoryBytes: Int { 256 }
    var isFull: Bool { false }
    var untakenBytes: Int { 0 }

    /// The request is whole: asks the session.
    func ask() {}
    func receive(_ body: [UInt8]) {}
    func sessionDidBegin() {}
    func receive(_ message: ServerMessage) {}
    func receive(_ part: LinePart, _ text: SharedBytes) {}
    func receive(_ part: LinePart, _ piece: GzipPiece) {}
    func receiveHeartbeat() {}

    /// Whether more may come of what it has asked for when it is over.
    var leavesMoreBehind: Bool { false }

    /// Ends a response that has begun, if it can say why it ends.
    ///
    /// - Returns: `false` if the client has to notice that the end is missing.
    func conclude(_ error: ErrorMessage) -> Bool { false }

    /// The answer to a request that ends with an error before there is another one.
    func response(to error: ErrorMessage) -> Response { .error(error) }

    final func receiveEnd() {
        if !isOver { ask() }
    }

    func didWrite() {}

    final func cancel() {
        guard !isOver else { return }
        finish()
        // What it has asked for is dropped with the session.
        session.close()
    }

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

    final func begin(_ status: Int = 200, _ fields: HTTPFields) {
        hasBegun = true
        connection.beginResponse(status, fields)
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

    /// Does work on a worker, and goes on with its result unless the request is over by then.
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
