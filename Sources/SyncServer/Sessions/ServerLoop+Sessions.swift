import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncWire
import Synchronization

extension ServerLoop {
    /// Listens for clients.
    func listen() throws(IOError) -> SocketAddress {
        // The listener releases this closure when it closes, at the latest with the loop. A weak
        // reference here would make all the strong references to this object slower.
        let incoming = { [self] (incoming: any IncomingStream) in
            perform(.accepting) { handOver(incoming, to: nil) }
        }
        return try listen(on: context.port, at: configuration.address, incoming)
    }

    /// - Parameter port: an open port in place of the address.
    private func listen(
        on port: (any OpenPort)?, at address: SocketAddress,
        _ incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> SocketAddress {
        let listener =
            if let port {
                try port.accept(on: loop, incoming: incoming)
            } else {
                try loop.openPort(address, incoming: incoming)
            }
        listeners.append(listener)
        return listener.address
    }

    /// Listens for the connections of a gateway.
    ///
    /// - Returns: `nil` if its address is in use, and the server begins without it.
    func listen(for gateway: any Gateway) throws(IOError) -> SocketAddress? {
        do throws(IOError) {
            return try listen(on: gateway.port, at: gateway.address) { [self] incoming in
                perform(.accepting) { handOver(incoming, to: gateway) }
            }
        } catch {
            guard gateway.isOptional, case .addressInUse = error else { throw error }
            context.log.log(
                .warning, "the server begins without a second port, which is in use",
                ["listen": "\(gateway.address)"])
            return nil
        }
    }

    /// Gives a connection to the loop that has the fewest.
    ///
    /// - Parameter gateway: the gateway that it is for, if any.
    private func handOver(_ incoming: any IncomingStream, to gateway: (any Gateway)?) {
        var target = peers[0]
        var fewest = Int.max
        for peer in peers {
            let count = peer.connections.load(ordering: .relaxed)
            if count < fewest { (target, fewest) = (peer, count) }
        }
        target.connections.add(1, ordering: .relaxed)
        on(target.index) { loop in
            var isTaken = false
            incoming.take(on: loop.loop) { isTaken = loop.accept($0, for: gateway) }
            if !isTaken { loop.connectionDidEnd() }
        }
    }

    func connectionDidEnd() {
        peers[index].connections.subtract(1, ordering: .relaxed)
    }

    /// - Returns: whether the connection goes on.
    private func accept(_ stream: any ByteStream, for gateway: (any Gateway)?) -> Bool {
        guard !drain.isUnderWay else { return false }
        let address = NetworkAddress(peer: stream.peer) ?? .unspecified
        let own = account(of: address)
        let account = gateway?.isProxy(address) == true ? nil : own
        let addressPlace = account?.connections.reserve(1)
        if let account, addressPlace == nil {
            refuseConnection(
                stream, account.tooManyConnections, for: ObjectIdentifier(account), by: gateway)
            return false
        }
        let places = gateway?.purpose == .monitoring ? context.monitors : context.connections
        guard let place = places.reserve(1) else {
            refuseConnection(
                stream, "the server has \(places.limit) connections already",
                for: account.map { ObjectIdentifier($0) } ?? ObjectIdentifier(self), by: gateway)
            return false
        }
        var usage = AccountUse(of: stream.peer, account, place: place, addressPlace: addressPlace)
        usage.note(watch(account))
        begin(stream, isTrusted: own == nil, using: usage, for: gateway)
        return true
    }

    /// Makes a session of an accepted stream, or a connection of a gateway.
    private func begin(
        _ stream: any ByteStream, isTrusted: Bool, using usage: AccountUse,
        for gateway: (any Gateway)?
    ) {
        let hasHeader =
            configuration.proxies.sendHeaders && isTrusted
            && gateway?.purpose != .monitoring
        let proxied = hasHeader ? ProxiedStream(stream) : nil
        let inner = proxied ?? stream
        let security = gateway.map(\.security) ?? configuration.security
        let secured = security?.secure(inner, on: loop)
        if let gateway {
            begin(secured ?? inner, secured, proxied, using: usage, for: gateway)
        } else {
            begin(secured ?? inner, secured, proxied, using: usage)
        }
        context.log.log(.debug, "a connection is open", ["peer": stream.peer])
    }

    private func begin(
        _ stream: any ByteStream, _ secured: (any SecuredStream)?, _ proxied: ProxiedStream?,
        using usage: AccountUse
    ) {
        let session = Session(
            SessionTransport(stream, secured: secured), using: usage, on: self)
        // Both belong to the session's stream, and call nothing once it is closed. But the step of
        // a handshake may wait longer than the session lives.
        proxied?.whenHeaderIsRead = { [unowned session] header in
            session.loop.perform(.reading) { session.proxyDidName(header) }
        }
        secured?.whenHandshakeIsDue = { [unowned session] in
            session.loop.perform(.reading) {
                session.loop.shakeHandsLater(for: session.owner) { [session] in
                    guard session.phase != .closed else { return }
                    session.transport.secured?.continueHandshake()
                    session.countMemory()
                }
            }
        }
        connections.add(session)
        session.countMemory()
        session.stream.open(session)
    }

    private func begin(
        _ stream: any ByteStream, _ secured: (any SecuredStream)?, _ proxied: ProxiedStream?,
        using usage: AccountUse, for gateway: any Gateway
    ) {
        let connection = GatewayConnection(
            stream, secured: secured, using: usage, for: gateway.purpose, on: self)
        // As above. Both are over before the connection can become a session.
        proxied?.whenHeaderIsRead = { [unowned connection] header in
            connection.perform { connection.proxyDidName(header) }
        }
        secured?.whenHandshakeIsDue = { [unowned connection] in
            connection.perform {
                connection.loop.shakeHandsLater(for: connection.owner) { [connection] in
                    connection.secured?.continueHandshake()
                    connection.countMemory()
                }
            }
        }
        connections.add(connection)
        connection.begin(with: gateway.accept(connection))
    }

    // MARK: Accounts

    /// The account of an address; `nil` if it is trusted.
    func account(of address: NetworkAddress) -> ClientAccount? {
        if configuration.proxies.trusted.contains(address) { return nil }
        return accounts?.account(of: address, at: loop.nowMilliseconds)
    }

    /// The account of a user that has signed in, from a trusted address, too.
    ///
    /// - Parameter sharer: who has shared a room with this user, if anybody has.
    func account(ofUser name: Identifier, sharedBy sharer: Identifier? = nil) -> ClientAccount? {
        accounts?.account(ofUser: name, sharedBy: sharer, at: loop.nowMilliseconds)
    }

    /// Logs a warning if an account that was just charged is near a limit.
    ///
    /// - Returns: what the connection for which it was charged is to be told.
    func watch(_ account: ClientAccount?) -> [QuotaUse] {
        guard let account else { return [] }
        let news = account.takeNews(at: loop.nowMilliseconds)
        for use in news {
            context.log.log(
                .warning, account.isUser ? "a user is near a limit" : "an address is near a limit",
                [
                    account.isUser ? "user" : "address": account.name, "of": use.quota.noun,
                    "count": "\(use.used)", "limit": "\(use.limit)",
                ])
        }
        return news
    }
}

extension ServerLoop {
    /// Sends the reason why a connection is refused, and closes it.
    ///
    /// - Parameters:
    ///   - owner: whose turn at handshakes it takes, if streams are secured.
    ///   - gateway: the gateway that it is for, if any.
    func refuseConnection(
        _ plain: any ByteStream, _ text: String, for owner: ObjectIdentifier,
        by gateway: (any Gateway)?
    ) {
        counts.rooms.count(.tooManyConnections)
        context.log.log(.warning, "too many connections", ["peer": plain.peer, "why": text])
        if context.audit != nil {
            note(
                AuditEvent(
                    .connect, time: loop.wallClockMilliseconds, address: plain.peer,
                    code: .tooManyConnections, detail: text))
        }
        // If too many are refused at once, the rest gets no reason: a stream that is not opened is
        // closed.
        guard connections.refusedCount < RefusedConnection.maximumAtOnce else { return }
        let security = gateway.map(\.security) ?? configuration.security
        let secured = security?.secure(plain, on: loop)
        secured?.whenHandshakeIsDue = { [unowned self, weak secured] in
            perform(.reading) {
                shakeHandsLater(for: owner) { [weak secured] in secured?.continueHandshake() }
            }
        }
        let stream = secured ?? plain
        let refused = RefusedConnection(stream, on: self)
        connections.refusedCount += 1
        stream.open(refused)
        let error = ErrorMessage(.tooManyConnections, text)
        stream.write([
            gateway?.refusal(error) ?? codec.encoder.encode(.error(error)).plain
        ])
        schedule(afterMilliseconds: Session.lingerMilliseconds) { stream.close() }
    }
}

/// A refused connection. It is sent the reason, and closed.
private final class RefusedConnection: ByteStreamHandler {
    /// How many refused connections a loop keeps at once until the other side has read the reason.
    static let maximumAtOnce = 256

    private let stream: any ByteStream
    private let loop: ServerLoop

    init(_ stream: any ByteStream, on loop: ServerLoop) {
        self.stream = stream
        self.loop = loop
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {}

    func streamDidDrain() {
        stream.finishWriting()
    }

    func streamDidClose(_ error: IOError?) {
        loop.perform(.closing) { loop.connections.refusedCount -= 1 }
    }
}
