import SyncBytes
import SyncIO
import SyncModel
import SyncServer
import SyncWire

/// A request that a session answers.
protocol SessionExchange: Exchange {
    /// A message of the session, other than the texts.
    func receive(_ message: ServerMessage)
    /// A part of a line that is text already, with the bytes that end with its text.
    func receive(_ frame: LineFrame, of bytes: SharedBytes)
    /// The session sends a heartbeat.
    func receiveHeartbeat()
}

/// The session of a connection of HTTP, for its requests with the same token.
///
/// It is opened with the first request that needs one, and ends with the connection, or when a
/// request comes with another token. So many requests cost one hello.
final class RequestSession: SessionClient {
    private unowned let connection: HTTPConnection
    let token: String
    let link: SessionLink
    private(set) var exchange: (any SessionExchange)?
    private var lastRequest: RequestID = 0
    /// The room that transactions of the connection go to.
    var membership: RequestMembership?
    private(set) var isOver = false

    init(_ connection: HTTPConnection, token: String, agent: String) {
        self.connection = connection
        self.token = token
        let gateway = connection.gateway
        link = SessionLink(peer: gateway.peer, on: gateway.eventLoop)
        link.client = self
        gateway.openSession(over: link, encoding: .json)
        link.send(.hello(Hello(features: [], token: token, agent: agent)))
    }

    var memoryBytes: Int { 256 + link.memoryBytes }
    var untakenBytes: Int { connection.untakenBytes }

    /// Passes what comes from now on to an exchange.
    func begin(_ exchange: any SessionExchange) {
        self.exchange = exchange
    }

    func random() -> UInt64 { connection.gateway.eventLoop.random() }

    func nextRequest() -> RequestID {
        lastRequest &+= 1
        return lastRequest
    }

    /// The exchange is over.
    func end(_ exchange: any SessionExchange) {
        if self.exchange === exchange { self.exchange = nil }
    }

    // MARK: What the session sends

    func receive(_ parts: [SharedBytes]) {
        parts.forEachFrame { receive($0) }
    }

    private func receive(_ frame: SessionFrame) {
        if let line = LineFrame(frame.body, at: frame.start) {
            exchange?.receive(line, of: frame.bytes)
            return
        }
        do throws(WireError) {
            receive(try connection.gateway.message(in: frame.body), answering: frame.request)
        } catch {
            close()
        }
    }

    /// - Parameter request: the request that a head of its own names, whatever the message says.
    private func receive(_ message: ServerMessage, answering request: RequestID?) {
        switch message {
        case .roomList(var list):
            list.request = request ?? list.request
            exchange?.receive(.roomList(list))
        case .items(var items):
            items.request = request ?? items.request
            exchange?.receive(.items(items))
        case .heartbeat:
            link.send(.heartbeat(Heartbeat()))
            exchange?.receiveHeartbeat()
        case .welcome, .nearLimit, .renewed: break
        case .error(let error) where error.subject == nil:
            isOver = true
            exchange?.end(error)
        case .error(let error) where isAboutMembership(error):
            // The next transaction joins again.
            membership = nil
        default: exchange?.receive(message)
        }
    }

    /// Whether an error is about the room that transactions go to, and not about a request.
    private func isAboutMembership(_ error: ErrorMessage) -> Bool {
        guard case .room(let handle) = error.subject, let known = membership?.known else {
            return false
        }
        return handle == known.handle && !(exchange is TransactionPost)
    }

    /// The session has written: its connection sends what came of it.
    func sessionDidWrite() {
        connection.didWork()
        if connection.untakenBytes == 0 { link.didTake() }
    }

    /// What the connection had to send is taken.
    func didTake() {
        link.didTake()
    }

    func close() {
        isOver = true
        link.close()
    }

    func sessionDidEnd() {
        isOver = true
        exchange?.end(ErrorMessage(.internalError, "the session has ended"))
        exchange = nil
    }
}
