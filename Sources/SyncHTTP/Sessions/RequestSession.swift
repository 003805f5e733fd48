import SyncBytes
import SyncHTTPCodec
import SyncIO
import SyncJSON
import SyncModel
import SyncServer
import SyncWire

/// The session of a connection of HTTP, for its requests with the same token and encoding.
///
/// It is opened with the first request that needs one, and ends with the connection, or when a
/// request comes with another one of these. So many requests cost one hello.
final class RequestSession: SessionClient {
    private unowned let connection: HTTPConnection
    let token: ForeignText
    let encoding: FrameEncoding
    let link: SessionLink
    private(set) var exchange: SessionRequest?
    private var lastRequest: RequestID = 0
    private var lastLeave: RequestID = 0
    /// The author of the transactions before.
    var author: RequestAuthor?
    /// The room where it is a member as that author, for the next transaction.
    private(set) var stay: RoomStay?
    /// Whether the server has answered the hello.
    private(set) var hasBegun = false
    private(set) var isOver = false
    let server: GatewaySession

    init(_ connection: HTTPConnection, token: ForeignText, encoding: FrameEncoding) {
        self.connection = connection
        self.token = token
        self.encoding = encoding
        let gateway = connection.gateway
        link = SessionLink(peer: gateway.peer, on: gateway.eventLoop)
        server = gateway.openSession(over: link, encoding: encoding, isVisitor: true)
        link.client = self
        link.send(.hello(Hello(features: [], token: token.shown, agent: "HTTP")))
    }

    var memoryBytes: Int {
        256 + link.memoryBytes + (stay == nil ? 0 : RoomStay.memoryBytes)
    }
    var untakenBytes: Int { connection.untakenBytes }
    var user: UserName { server.user }

    /// Passes what comes from now on to an exchange.
    func begin(_ exchange: SessionRequest) {
        self.exchange = exchange
    }

    func random() -> UInt64 { connection.gateway.eventLoop.random() }

    /// The number of the next request.
    var nextRequestID: RequestID { lastRequest &+ 1 }

    func nextRequest() -> RequestID {
        lastRequest &+= 1
        return lastRequest
    }

    /// Names the trace of the next transaction.
    func note(_ trace: TraceParent, of counter: UInt64, in room: RoomHandle) {
        server.note(trace, of: counter, in: room)
    }

    /// Leaves a room.
    func leave(_ handle: RoomHandle) {
        forgetStay(in: handle)
        lastLeave = nextRequest()
        link.send(.leave(Leave(request: lastLeave, room: handle)))
    }

    // MARK: Staying

    /// Leaves the room where it has stayed, unless that is the one that is needed next.
    func leave(unlessIn room: RoomName?) {
        if let stay, stay.room != room { leave(stay.handle) }
    }

    /// Stays in a room for a moment, for the next transaction of the same author.
    func stay(in room: RoomName, _ handle: RoomHandle) {
        if stay == nil {
            stay = RoomStay(room: room, handle: handle)
            leaveLater()
        }
        stay?.wasUsed = true
    }

    /// Leaves the room when it was not used for a while. A timer for each transaction would cost
    /// more than this one, which may find that the room was used.
    private func leaveLater() {
        stay?.wasUsed = false
        stay?.timer = connection.gateway.schedule(
            afterMilliseconds: RoomStay.milliseconds
        ) { [weak self] in
            guard let self, let stay else { return }
            if stay.wasUsed || exchange?.handle == stay.handle { return leaveLater() }
            leave(stay.handle)
        }
    }

    /// It is not in a room any more.
    func forgetStay(in handle: RoomHandle?) {
        guard let stay, stay.handle == handle else { return }
        stay.timer?.cancel()
        self.stay = nil
    }

    /// The exchange is over.
    func end(_ exchange: SessionRequest) {
        if self.exchange === exchange { self.exchange = nil }
    }

    // MARK: What the session sends

    func receive(_ parts: [SharedBytes]) {
        parts.forEachFrame { receive($0) }
    }

    private func receive(_ frame: SessionFrame) {
        if let line = LineFrame(frame.body, at: frame.start) {
            let text = SharedBytes(endOf: frame.bytes, from: line.textOffset)
            switch line.form {
            case .plain: exchange?.receive(line.part, text)
            case .compressed(let textBytes, let checksum):
                exchange?.receive(
                    line.part, GzipPiece(blocks: text, textBytes: textBytes, checksum: checksum))
            }
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
        case .batch, .snapshot: receiveUnwritten(message)
        case .joined(let joined) where joined.request < exchange?.firstRequest ?? .max:
            // Who has asked for that is over.
            leave(joined.handle)
        case .welcome:
            connection.charge(firstOf: self) { [weak self] in
                self?.hasBegun = true
                self?.exchange?.sessionDidBegin()
            }
        case .nearLimit, .renewed: break
        case .error(let error) where error.subject == nil:
            isOver = true
            exchange?.end(error)
        case .error(let error):
            if case .room(let handle) = error.subject { forgetStay(in: handle) }
            if isConcerned(by: error) { exchange?.receive(message) }
        default: exchange?.receive(message)
        }
    }

    /// Passes on content that no text was made of for all, as it would have been far longer.
    private func receiveUnwritten(_ message: ServerMessage) {
        var writer = JSONWriter()
        guard let part = LineText.write(message, to: &writer) else { return }
        exchange?.receive(part, SharedBytes(copying: writer.bytes))
    }

    /// Whether an error is about what the exchange has asked for, or the room that it is in. An
    /// exchange before may have left something behind.
    private func isConcerned(by error: ErrorMessage) -> Bool {
        guard let exchange else { return false }
        return switch error.subject {
        case .request(let request):
            request >= exchange.firstRequest && request != lastLeave
        case let subject: exchange.handle != nil && subject?.room == exchange.handle
        }
    }

    /// The session has written: its connection sends what came of it.
    func sessionDidWrite() {
        connection.didWork()
        if connection.untakenBytes == 0 { link.didTake() }
    }

    /// A request is a few messages at most, which can wait for the session.
    func sessionReadsOn() {}

    /// What the connection had to send is taken, or what its exchange had to read.
    func didTake() {
        if connection.untakenBytes == 0 { link.didTake() }
    }

    func close() {
        isOver = true
        forgetStay(in: stay?.handle)
        link.close()
    }

    func sessionDidEnd() {
        isOver = true
        forgetStay(in: stay?.handle)
        exchange?.end(ErrorMessage(.internalError, "the session has ended"))
        exchange = nil
    }
}
