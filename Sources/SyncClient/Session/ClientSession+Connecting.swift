import SyncIO
import SyncWire

// Connecting, up to the server's welcome, and reconnecting after a lost connection.
extension ClientSession {
    func connect() {
        state = .connecting
        guard let tokens else { return connect(with: nil) }
        guard mayShowToken else { return end(.plainToken) }
        tokens.fetch(withinMilliseconds: options.handshakeMilliseconds) { [weak self] result in
            switch result {
            case .success(let token): self?.connect(with: token)
            case .failure(let error): self?.lose(error)
            }
        }
    }

    private func connect(with token: AccessToken?) {
        loop.connect(to: options.address, by: options.security) { [weak self] result in
            self?.didConnect(result, token)
        }
    }

    private func didConnect(_ result: Result<any ByteStream, IOError>, _ token: AccessToken?) {
        guard case .connecting = state else {
            if case .success(let stream) = result { stream.close() }
            return
        }
        switch result {
        case .success(let stream):
            let connection = Connection(
                stream, loop: loop, limits: options.limits,
                maximumBufferedBytes: 2 * options.maximumBufferedBytes, handler: self)
            let timeout = loop.schedule(afterMilliseconds: options.handshakeMilliseconds) {
                [weak self] in self?.lose(.handshakeTimeout)
            }
            state = .greeting(connection, timeout: timeout)
            connection.open()
            connection.send(
                .hello(
                    Hello(
                        features: options.features, token: token?.text ?? "", agent: options.agent))
            )
        case .failure(let error): lose(.connection(error))
        }
    }

    /// The server has answered the hello.
    func didWelcome(_ welcome: Welcome, on connection: Connection) {
        guard case .greeting(_, let timeout) = state else {
            return lose(.broken(.badMessage, "a second welcome"))
        }
        timeout.cancel()
        connection.adopt(welcome)
        accountUses = [:]
        let heartbeat = scheduleHeartbeat(welcome)
        state = .ready(
            connection, welcome, since: loop.nowMilliseconds, heartbeat: heartbeat)
        hasBeenReady = true
        awaitRenewal(ofTokenFor: welcome.tokenMilliseconds)
        applyPause()
        for membership in memberships { sendJoin(membership, on: connection, welcome) }
        sendRequests(on: connection, welcome)
        // Other messages follow after all joins, so that the joins are answered at once.
        for membership in memberships { pump(membership) }
        opened.take()?(.success(welcome))
    }

    /// Ends the connection or the attempt. The next attempt follows, if the error allows a retry.
    func lose(_ error: ClientError) {
        if case .ended = state { return }
        guard hasBeenReady, mayRetry(after: error) else { return end(error) }
        let error = error.allowingRetry
        if case .ready(_, _, let since, _) = state {
            backOff.didLast(forMilliseconds: loop.nowMilliseconds - since)
        }
        dropConnection()
        let delay = backOff.next(random: loop.random())
        state = .waiting(
            loop.schedule(afterMilliseconds: delay) { [weak self] in self?.connect() })
        didLoseConnection(error)
        for membership in memberships {
            membership.wasInterrupted(error, retryAfterMilliseconds: delay)
        }
    }

    // MARK: Heartbeats

    /// How many heartbeats may be missing before the connection counts as lost.
    private static let patience: UInt64 = 3
    /// The interval for a server that announces none.
    private static let usualHeartbeatMilliseconds: UInt32 = 15_000

    private func scheduleHeartbeat(_ welcome: Welcome) -> any Timer {
        let interval =
            welcome.heartbeatMilliseconds > 0
            ? welcome.heartbeatMilliseconds : ClientSession.usualHeartbeatMilliseconds
        return loop.schedule(afterMilliseconds: UInt64(interval)) { [weak self] in
            self?.beat(everyMilliseconds: UInt64(interval))
        }
    }

    private func beat(everyMilliseconds interval: UInt64) {
        guard case .ready(let connection, let welcome, let since, _) = state else { return }
        let silence = loop.nowMilliseconds - connection.lastReceivedMilliseconds
        guard isReadingPaused || silence <= interval * ClientSession.patience else {
            return lose(.silence)
        }
        // Heartbeats must not fill the memory while the server reads nothing.
        if connection.bufferedBytes < options.maximumBufferedBytes {
            sendHeartbeat(on: connection)
        }
        state = .ready(
            connection, welcome, since: since, heartbeat: scheduleHeartbeat(welcome))
    }

    private func sendHeartbeat(on connection: Connection) {
        let entries = memberships.compactMap { membership in
            membership.handle.flatMap { handle in
                membership.revision.map {
                    Heartbeat.Entry(room: handle, revision: $0, origin: membership.origin)
                }
            }
        }
        connection.send(.heartbeat(Heartbeat(rooms: entries)))
    }
}
