import SyncBytes
import SyncHTTPCodec
import SyncIO
import SyncServer
import SyncWire

/// A connection that speaks HTTP/1.1: one request after the other, each with its response.
///
/// Invariants:
/// 1. One request at a time is read and answered. What a client sends before its answer stays
///    unread: one read of the stream at most, which is then paused.
/// 2. At most ``requestsPerTurn`` requests are read at a time, and no more than the steps of a turn
///    that a connection may take. Then others have their turn.
/// 3. Whole responses wait in a queue of ``mostQueuedBytes`` and one response. A streamed one goes
///    on when what was written of it is taken.
final class HTTPConnection: GatewayHandler {
    enum Phase {
        case open
        /// What is queued is the last that is sent. Input is dropped.
        case ending
        /// Another protocol goes on with the stream.
        case upgraded
        case closed
    }

    /// What follows HTTP on the stream, and the handler of the stream's events then.
    typealias Successor = any ByteStream & ByteStreamHandler

    let gateway: GatewayConnection
    let options: HTTPOptions
    var phase = Phase.open
    var reader = RequestReader()
    /// The request that is being read or answered.
    var exchange: SessionRequest?
    /// Whether the current request is not whole yet.
    private(set) var isInRequest = false
    var output = HTTPOutput()
    /// Compresses the body of the current response.
    var compression: BodyCompression?
    /// The request that is answered now, or was the last one.
    var record: RequestRecord
    /// Answers requests.
    var session: RequestSession?
    var successor: Successor?
    /// The member that speaks in lines on a WebSocket.
    var lines: LineSocket?
    private var clock: RequestClock
    /// Ends the pause of reading while whoever it reads for is over a rate.
    var rateTimer: (any Timer)?
    private var isWaitingForTurn = false
    /// Whether nothing has come yet.
    private var isFresh = true
    /// What the response to the current request says about pages of other origins.
    var originFields = HTTPFields()
    /// Whether it comes from a proxy, whose requests are of many clients.
    /// It is found out at the first request, since a PROXY header comes after the connection.
    private(set) lazy var isProxy = options.isProxy(gateway)
    /// The client that the last request of the proxy named; `nil` if it named none.
    var client: String?
    /// Whether a request of the proxy has come. The connection counts for no address before.
    var hasClient = false
    /// The last host that was admitted.
    var host: ForeignText?
    /// Bytes of a proxy's next request that are not charged yet, as nobody knows whose it is.
    var headBytes = 0
    /// Bytes of the current request that have come.
    var requestBytes = 0

    static let requestsPerTurn = 16
    /// With no more than this left to read, a connection counts as small work, which is served
    /// before large work.
    private static let smallBytes = 2 << 10
    static let mostQueuedBytes = 64 << 10
    private static let mostDroppedBytes = 64 << 10
    /// How long the other side has to read the last response.
    private static let lingerMilliseconds: UInt64 = 1000

    init(_ gateway: GatewayConnection, _ options: HTTPOptions) {
        self.gateway = gateway
        self.options = options
        record = RequestRecord(of: nil, began: gateway.workedMicroseconds)
        clock = RequestClock(at: gateway.listenedMilliseconds)
    }

    var memoryBytes: Int {
        reader.memoryBytes + output.memoryBytes + (compression?.memoryBytes ?? 0)
            + (exchange?.memoryBytes ?? 0) + (session?.memoryBytes ?? 0) + (lines?.memoryBytes ?? 0)
    }

    /// How many bytes of responses, and of what they are made of, are not taken yet.
    var untakenBytes: Int {
        output.byteCount + (exchange?.untakenBytes ?? 0) + (compression?.untakenBytes ?? 0)
            + (gateway.stream.isWriting ? max(1, gateway.stream.unsentBytes) : 0)
    }

    // MARK: Reading

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        if let successor {
            clock.received(bytes.count, at: gateway.listenedMilliseconds)
            return successor.streamDidReceive(bytes)
        }
        gateway.perform {
            charge(bytes.count)
            guard phase == .open else { return didWork() }
            noteGreeting(bytes)
            clock.received(bytes.count, at: gateway.listenedMilliseconds)
            reader.receive(bytes)
            read()
        }
    }

    /// Tells the log of those who speak another protocol. They get the answer to a bad request.
    private func noteGreeting(_ bytes: UnsafeRawBufferPointer) {
        guard isFresh else { return }
        isFresh = false
        guard let greeting = ForeignGreeting(bytes) else { return }
        if case .http = greeting { return }
        gateway.log(
            .info, "closing a connection",
            why: "it speaks \(greeting.name), and this port HTTP", of: nil)
    }

    /// Reads requests as long as they can be answered, and the turn has time for that.
    ///
    /// - Parameter steps: what that may take; `nil` if it is nobody's turn.
    func read(within steps: Int? = nil) {
        var requests = 0
        var steps = steps ?? gateway.stepsLeft
        while mayRead {
            guard steps > 0, requests < HTTPConnection.requestsPerTurn else {
                if reader.hasMore { readLater() }
                break
            }
            let (unread, former) = (reader.unreadBytes, requests)
            do throws(HTTPError) {
                guard let event = try reader.next() else { break }
                if case .head = event { requests += 1 }
                handle(event)
            } catch {
                refuse(error)
            }
            steps -= gateway.spend(
                requests: requests - former, textBytes: unread - reader.unreadBytes)
        }
        didWork()
    }

    private var mayRead: Bool {
        phase == .open && !isWaitingForTurn && rateTimer == nil
            && (exchange == nil || isInRequest) && exchange?.isFull != true
            && compression == nil
            && output.byteCount < HTTPConnection.mostQueuedBytes
    }

    private func handle(_ event: RequestReader.Event) {
        switch event {
        case .head(let head):
            isInRequest = true
            begin(head)
            // The client may not send the body of a request that is answered before.
            output.isKeptAlive = head.isKeepAlive && !head.expectsContinue
            defer { headBytes = 0 }
            // It may be answered within this call, and then there is none.
            guard let begun = exchange(for: head) else { return }
            exchange = begun
            if case .bytes(let count)? = try? head.body(),
                let error = begun.refusal(ofBodyBytes: count)
            {
                begun.refuse(error)
            } else if head.expectsContinue {
                output.isKeptAlive = head.isKeepAlive
                output.add(ResponseHead(100))
            }
        case .body(let bytes):
            exchange?.receive(bytes)
        case .end:
            (isInRequest, requestBytes) = (false, 0)
            clock.ended(at: gateway.listenedMilliseconds)
            if let exchange { exchange.receiveEnd() } else { endIfNotKeptAlive() }
        }
    }

    /// Answers a request that can't be read, and all that follow.
    private func refuse(_ error: HTTPError) {
        exchange?.cancel()
        exchange = nil
        if isInRequest {
            isInRequest = false
            // One whose body can't be read may be answered already.
            guard output.isUnanswered else { return end() }
            output.isKeptAlive = false
        } else {
            begin(nil)
        }
        respond(RequestRefusal(error).response)
    }

    /// Begins to answer a request; `nil` is one that can't be read.
    private func begin(_ head: RequestHead?) {
        output.begin(head)
        originFields = HTTPFields()
        record = RequestRecord(of: head, began: gateway.workedMicroseconds)
    }

    /// Reads on in one of the next turns.
    func readLater() {
        if isWaitingForTurn { return }
        isWaitingForTurn = true
        gateway.readLater(isSmall: reader.unreadBytes <= HTTPConnection.smallBytes) { [self] in
            isWaitingForTurn = false
            read(within: $0)
        }
    }

    /// Ends a piece of work: writes, counts memory, and pauses reading if there is no use for it.
    func didWork() {
        guard phase == .open || phase == .ending else { return }
        flush()
        gateway.countMemory()
        let isPaused = phase == .open ? !mayRead && reader.unreadBytes > 0 : rateTimer != nil
        if gateway.stream.isReadingPaused != isPaused { gateway.stream.isReadingPaused = isPaused }
    }

    // MARK: Responses

    /// Whether what is not read yet of the request is much, or may be. Then nobody waits for it
    /// behind a response. Less is dropped as it comes.
    private var hasMuchLeft: Bool {
        isInRequest && (reader.missingBytes ?? .max) > HTTPConnection.mostDroppedBytes
    }

    /// The response of the current request begins. It says whether the connection is kept.
    func willRespond() {
        if hasMuchLeft { output.isKeptAlive = false }
    }

    /// The response of the current request is queued as a whole.
    func didRespond() {
        if record.isTimed { gateway.countTime(since: record.began) }
        exchange = nil
        if !isInRequest || hasMuchLeft { endIfNotKeptAlive() }
        // A response to HEAD sends no body, so its end may leave no write whose drain would read
        // the next request. Then that is read in a later turn.
        let isWriteDue = gateway.stream.isWriting || !output.isEmpty
        if !isWriteDue, reader.unreadBytes > 0, !isWaitingForTurn { readLater() }
    }

    private func endIfNotKeptAlive() {
        if !output.isKeptAlive || gateway.isServerEnding { end() }
    }

    private func flush() {
        if let count = output.flush(to: gateway.stream) { gateway.spend(writtenBytes: count) }
        if phase == .ending, output.isEmpty, !gateway.stream.isWriting { finish() }
    }

    func streamDidDrain() {
        if let successor {
            output.didWrite()
            // The end of what came before it.
            if output.flush(to: gateway.stream) == nil { successor.streamDidDrain() }
            return
        }
        gateway.perform {
            output.didWrite()
            tellIfTaken()
            read()
        }
    }

    /// Tells who writes a response if all of it that was written is taken.
    func tellIfTaken() {
        guard output.isEmpty, !gateway.stream.isWriting, compression?.untakenBytes ?? 0 == 0
        else { return }
        if phase == .open { exchange?.didWrite() }
        session?.didTake()
    }

    // MARK: Closing

    /// Closes the connection when what is queued is sent.
    func end() {
        guard phase == .open else { return }
        phase = .ending
        exchange = nil
        compression = nil
        rateTimer?.cancel()
        rateTimer = nil
    }

    /// Whether the connection may send an error that answers no request: none is being answered,
    /// and none that was answered has more body to come.
    private var isUnanswered: Bool { exchange == nil && !isInRequest && output.isAtEnd }

    func end(_ error: ErrorMessage) {
        if let lines {
            return gateway.perform {
                gateway.count(error.code)
                lines.end(error)
            }
        }
        gateway.perform {
            guard phase == .open else { return }
            // A response that is whole, or has begun, is ended in order.
            output.isKeptAlive = false
            if compression?.isEnding == true {
                if error.code != .shuttingDown { end() }
            } else if let exchange {
                gateway.count(error.code)
                exchange.end(error)
                // The rest of its body may never come.
                if self.exchange == nil { end() }
            } else {
                if isUnanswered, untakenBytes == 0, error.code != .shuttingDown {
                    begin(nil)
                    refuse(error)
                }
                end()
            }
            didWork()
        }
    }

    /// Input that nobody has read would discard the last response from the system's buffers. So it
    /// is read and dropped for a moment.
    private func finish() {
        guard !output.isFinished else { return }
        output.isFinished = true
        gateway.stream.finishWriting()
        gateway.schedule(afterMilliseconds: HTTPConnection.lingerMilliseconds) { [self] in
            gateway.stream.close()
        }
    }

    func streamDidClose(_ error: IOError?) {
        if let successor {
            phase = .closed
            self.successor = nil
            successor.streamDidClose(error)
            if lines != nil {
                lines = nil
                gateway.didClose(error)
            }
            return
        }
        phase = .closed
        compression = nil
        rateTimer?.cancel()
        let exchange = exchange
        self.exchange = nil
        gateway.perform {
            exchange?.cancel()
            session?.close()
            session = nil
        }
        gateway.didClose(error)
    }

    func watch(listened: UInt64) {
        if let lines {
            return gateway.perform { lines.watch(silence: clock.silence(at: listened)) }
        }
        guard phase == .open || phase == .ending else { return }
        let unsent = gateway.stream.isWriting ? gateway.stream.unsentBytes : nil
        let isReading = (exchange == nil || isInRequest) && compression == nil
        switch clock.verdict(
            at: listened, unsent: unsent, isReading: isReading && !gateway.stream.isReadingPaused,
            hasBegun: !reader.isBetweenRequests || isInRequest)
        {
        case .fine: break
        case .idle: gateway.stream.close()
        case .stuck:
            gateway.log(
                .info, "closing a connection", why: "nothing was taken for long", of: record.trace)
            gateway.stream.close()
        case .overdue:
            gateway.perform {
                let error = ErrorMessage(
                    .frameTimeout, "the request was begun, and did not come in time")
                output.isKeptAlive = false
                if let exchange {
                    gateway.count(error.code)
                    exchange.end(error)
                } else if isUnanswered {
                    begin(nil)
                    refuse(error)
                }
                end()
                didWork()
            }
        }
    }
}
