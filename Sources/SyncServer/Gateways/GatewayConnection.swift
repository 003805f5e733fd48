package import SyncBytes
package import SyncIO
import SyncModel
import SyncRoom
package import SyncWire

/// A connection of a gateway, as long as it is no session itself. It charges what the connection
/// uses of the limits of its address, and opens sessions for it. Its jobs count for who has signed
/// in, and so do its rates, as far as it is known for whom it reads. So do its turns, if it is a
/// WebSocket, which has one session.
package final class GatewayConnection: AccountUser {
    let loop: ServerLoop
    /// Its handler opens it.
    package let stream: any ByteStream
    let secured: (any SecuredStream)?
    var usage: AccountUse
    /// The peer of the socket: a proxy, if there is one.
    private let socketPeer: String
    var holder: Holder
    let charge: Charge
    private(set) var handler: (any GatewayHandler)?
    /// The last session that it has opened.
    private weak var session: Session?
    /// Its index in the list of connections of gateways.
    var index = 0
    /// How its client is connected, for the count of connections; `nil` if it does not count there.
    var kind: ConnectionKind?
    private var isClosed = false

    init(
        _ stream: any ByteStream, secured: (any SecuredStream)?, using usage: AccountUse,
        for purpose: GatewayPurpose, on loop: ServerLoop
    ) {
        self.stream = stream
        self.secured = secured
        self.loop = loop
        self.usage = usage
        socketPeer = usage.peer
        kind = purpose == .monitoring ? nil : .http
        holder = Holder(
            in: loop.context.pots, within: usage.account?.holder,
            limits: loop.configuration.holderLimits)
        charge = Charge(in: holder.connection, as: .connections, on: loop.tally)
    }

    func begin(with handler: any GatewayHandler) {
        self.handler = handler
        countMemory()
        stream.open(handler)
    }

    // MARK: What a gateway needs to know

    package var eventLoop: any EventLoop { loop.loop }
    /// Its address, for logs: the one that a proxy names, if there is a proxy.
    package var peer: String { usage.peer }
    package var address: NetworkAddress? { NetworkAddress(peer: peer) }
    package var isSecured: Bool { secured != nil }
    /// Whether the server goes down, and takes no more work.
    package var isServerEnding: Bool { loop.drain.isUnderWay }
    /// Whether the store does not take records.
    package var isStoreFailing: Bool {
        loop.context.isStoreFailing(at: loop.loop.nowMilliseconds)
    }
    /// Whether clients have to show tokens.
    package var needsTokens: Bool { loop.configuration.tokens != nil }
    /// The limits of frames that clients send.
    package var wire: WireLimits { loop.configuration.wire }
    /// The server's name and version.
    package var agent: String { loop.configuration.agent }
    /// The time of the clock that measures silence, in milliseconds.
    package var listenedMilliseconds: UInt64 { loop.listenedMilliseconds }

    /// The server's metrics as text, which may be some milliseconds old (``MetricsPage``).
    ///
    /// - Parameter process: what the process uses.
    package func metrics(process: () -> ProcessFigures?) -> SharedBytes {
        loop.context.metricsPage.text(at: loop.loop.nowMilliseconds) {
            ServerReading(of: loop.context, loop.peers.map(\.counts), process: process()).text
        }
    }

    // MARK: Work

    /// Does work of the connection, so that the loop knows whose it is.
    package func perform(_ work: () -> Void) {
        loop.perform(.reading, work)
    }

    /// How many steps the connection may take of this turn; 0 or less if it has to wait.
    package var stepsLeft: Int {
        let budget = loop.budget
        return min(budget.left, budget.stepsPerShare)
    }

    /// Spends steps of this turn on requests, and on bytes of their heads and bodies.
    ///
    /// - Returns: how many.
    package func spend(requests: Int, textBytes: Int) -> Int {
        spend(WorkCost.webRequest.steps(requests) + WorkCost.webBytes.steps(textBytes))
    }

    /// Spends steps of this turn on lines of JSON, and on the values that were made of them.
    package func spend(lines: Int, textBytes: Int, values: Int) -> Int {
        spend(
            WorkCost.webLine.steps(lines) + WorkCost.webLineBytes.steps(textBytes)
                + WorkCost.webLineValue.steps(values))
    }

    /// Spends steps of this turn on what is still to be made of a line that a worker has read.
    package func spend(values: Int) {
        _ = spend(WorkCost.webLineValue.steps(values))
    }

    /// Spends steps of this turn on a write to the connection's stream.
    package func spend(writtenBytes: Int) {
        _ = spend(WorkCost.write.steps() + WorkCost.writtenBytes.steps(writtenBytes))
    }

    private func spend(_ steps: Int) -> Int {
        loop.budget.spend(steps)
        return steps
    }

    /// Reads on in the next turn, or in a later one, when others that wait have had theirs.
    ///
    /// - Parameters:
    ///   - isSmall: whether little is left to read.
    ///   - read: gets how many steps it may take, within ``perform(_:)``.
    package func readLater(isSmall: Bool, _ read: @escaping (_ steps: Int) -> Void) {
        loop.readLater(for: reader.owner, isSmall: isSmall, read)
    }

    /// Who has signed in; else itself.
    private var client: any AccountUser {
        guard let session, !session.user.isNobody else { return self }
        return session
    }

    /// Whose rates and turns reading counts for. Requests may come from one user after the other,
    /// and nobody knows of whom the next one is before it is read.
    private var reader: any AccountUser { kind == .webSocket ? client : self }

    /// Does work on a worker, when whoever has signed in has its turn. Then goes on with the result
    /// on this loop, outside of ``perform(_:)``.
    package func performAside<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, then goOn: @escaping (Result) -> Void
    ) {
        _ = spend(WorkCost.request.steps())
        let post = loop.peers[loop.index]
        // One thread after the other uses it.
        nonisolated(unsafe) let goOn = goOn
        loop.context.jobs.add(.work, for: JobOwner(client.holder)) {
            let result = work()
            post.post { _ in goOn(result) }
        }
    }

    /// Calls an action after a delay, within ``perform(_:)``.
    @discardableResult
    package func schedule(
        afterMilliseconds delay: UInt64, _ action: @escaping () -> Void
    ) -> any Timer {
        loop.schedule(afterMilliseconds: delay, action)
    }

    // MARK: Accounts

    /// Charges the account with received bytes and requests.
    ///
    /// - Parameters:
    ///   - session: the one that they are for, if it is known. If it has signed in, its user is
    ///     charged.
    ///   - layer: the stream on the connection's that has received them, if there is one.
    /// - Returns: for how many milliseconds nothing more may be read.
    package func charge(
        bytes: Int, requests: Int = 0, to session: GatewaySession? = nil,
        by layer: (any LayeredStream)? = nil
    ) -> UInt64 {
        let records = ((layer ?? secured)?.takeRecordCount() ?? 0) * Session.bytesOfRecord
        let reader = session?.signedIn ?? reader
        reader.usage.messagesRead += requests
        return reader.usage.charge(bytes: max(bytes, records), at: loop.loop.nowMilliseconds)
    }

    /// Takes back a charge for something that is refused, so that refusals add up to no debt.
    package func takeBack(bytes: Int, requests: Int, from session: GatewaySession?) {
        let reader = session?.signedIn ?? reader
        reader.usage.messagesRead -= requests
        _ = reader.usage.charge(bytes: -bytes, at: loop.loop.nowMilliseconds)
    }

    /// The bytes that its secured stream uses, which it counts itself.
    package var securedBytes: Int { secured?.memoryBytes ?? 0 }

    /// Counts its memory. If it is more than a connection may use, its handler ends it.
    package func countMemory() {
        guard let handler, !isClosed else { return charge.change(to: 0) }
        charge.change(
            to: GatewayConnection.ownBytes + securedBytes + handler.memoryBytes)
        if let error = refusal(ofBytes: 0) { handler.end(error) }
    }

    /// Why it may not use so much memory more; `nil` if it may.
    package func refusal(ofBytes count: Int) -> ErrorMessage? {
        let limit = holder.connection.limit
        guard count > limit - holder.connection.used else { return nil }
        return ErrorMessage(
            .connectionLimit, "a connection may hold \(limit) bytes of the server's memory")
    }

    /// About how many bytes a connection uses without its handler.
    private static let ownBytes = 1024

    // MARK: Sessions

    /// The message in a frame that a session has sent.
    package func message(in frame: UnsafeRawBufferPointer) throws(WireError) -> ServerMessage {
        try loop.codec.decoder.serverMessage(frame)
    }

    /// Opens a session over a stream that the gateway translates. It has a place of the connection.
    ///
    /// - Parameters:
    ///   - encoding: the encoding of what it is sent.
    ///   - isVisitor: whether it is in rooms for single requests only.
    @discardableResult
    package func openSession(
        over stream: any ByteStream, encoding: FrameEncoding, isVisitor: Bool = false
    ) -> GatewaySession {
        let transport = SessionTransport(
            stream, secured: secured, encoding: encoding, within: self.stream,
            isVisitor: isVisitor)
        let session = Session(transport, using: usage.shared(), on: loop)
        self.session = session
        begin(session)
        return GatewaySession(session)
    }

    /// Makes the connection itself a session, whose frames a stream on the connection's own stream
    /// carries. Its handler gets no further calls of the server.
    package func becomeSession(over stream: any ByteStream) {
        guard !isClosed else { return stream.close() }
        forget()
        let transport = SessionTransport(stream, secured: secured, kind: .webSocket)
        begin(Session(transport, using: usage, on: loop))
    }

    /// The connection is a WebSocket from now on, and stays the gateway's.
    package func didBecomeWebSocket() {
        if !isClosed { loop.connections.change(self, to: .webSocket) }
    }

    private func begin(_ session: Session) {
        loop.connections.add(session)
        session.countMemory()
        session.stream.open(session)
    }

    private func forget() {
        isClosed = true
        countMemory()
        handler = nil
        loop.connections.remove(self)
    }

    /// The handler's stream is closed.
    package func didClose(_ error: IOError?) {
        guard !isClosed else { return }
        loop.perform(.closing) {
            forget()
            loop.connectionDidEnd()
            usage = AccountUse(of: peer)
            loop.context.log.log(
                .debug, "a connection is closed",
                ["peer": peer, "why": error?.description ?? "it ended"])
            loop.reportIfEmpty()
        }
    }

    /// Writes a line of the server's log.
    ///
    /// - Parameter trace: the trace that the last request belongs to.
    package func log(
        _ level: ServerLogLevel, _ message: String, why: String, of trace: TraceParent?
    ) {
        if let trace {
            loop.context.log.log(
                level, message, ["peer": peer, "why": why, "trace": trace.traceID])
        } else {
            loop.context.log.log(level, message, ["peer": peer, "why": why])
        }
    }

    // MARK: Proxies

    /// Counts the connection for another client from now on. Sessions that it has opened count for
    /// the one before until they end.
    ///
    /// - Parameter client: the address that a proxy names; `nil` if it names none.
    /// - Returns: why it may not.
    package func act(for client: String?) -> String? {
        let text = client ?? socketPeer
        guard let address = client == nil ? NetworkAddress(peer: socketPeer) : NetworkAddress(text)
        else { return "the proxy has no address" }
        return switchAddress(to: ProxyHeader.Source(address: address, text: text))
    }

    /// The PROXY header, which comes before everything else, is read.
    func proxyDidName(_ header: ProxyHeader) {
        switch header {
        case .incomplete, .whole(nil, _): break
        case .malformed(let text): handler?.end(ErrorMessage(.badHandshake, text))
        case .whole(let source?, _):
            if let refusal = switchAddress(to: source) {
                handler?.end(ErrorMessage(.tooManyConnections, refusal))
            }
        }
    }
}
