package import SyncIO
package import SyncLayout
package import SyncModel
package import SyncWire

/// A client's session with a server: one connection after the other, and the memberships in rooms
/// and the requests that use them.
///
/// It owns the connection, the memberships, the pending requests and the timers. It runs on one
/// event loop, simulated or real, and knows neither threads nor libuv.
///
/// Invariants:
/// 1. There is at most one connection, and at most one attempt or timer for the next.
/// 2. If the first connection fails, the session ends, so that a mistake in the address is
///    reported. Later connections are retried with back-off, until ``close()`` or an error that
///    allows no retry (``mayRetry(after:)``).
/// 3. Memberships outlive connections: each joins again with its client id, secret and last
///    revision, reopens its views, and resends its presence. A request waits for a connection; it
///    fails if the connection on which it was sent is lost.
/// 4. A batch or a view's update that does not fit ends the connection, like any message that can't
///    be understood. The next connection brings a snapshot, and the views anew.
/// 5. A connection is opened when there is a token for it, if the session has tokens. While it
///    lasts, the token is renewed before it expires, unless the source has only one. A token is
///    only sent where nobody on the way can read it, or an option allows that.
/// 6. While reading is paused (see ``ReadingPause``), nothing is read, and the server sees a slow
///    reader.
///
/// It leaves the protocol's bytes to ``Connection``, the state of a room to ``Membership``, and
/// threads to its user.
package final class ClientSession {
    enum State {
        case idle
        /// There is no connection yet, or no token for it.
        case connecting
        /// Connected; the server has not answered the hello yet.
        case greeting(Connection, timeout: any Timer)
        case ready(Connection, Welcome, since: UInt64, heartbeat: any Timer)
        case waiting(any Timer)
        case ended(ClientError)
    }

    package let options: SessionOptions
    package let identity: ClientIdentity
    let loop: any EventLoop
    var state = State.idle
    var backOff: BackOff
    /// Whether a server has ever answered. Then a failure is a lost connection and not a wrong
    /// address.
    var hasBeenReady = false
    let tokens: TokenFetcher?
    /// The renewal of the connection's token, if it will be renewed.
    var renewal: TokenRenewal?
    var opened: ((Result<Welcome, ClientError>) -> Void)?

    private(set) var memberships: [Membership] = []
    /// The client's identities and last numbers in rooms that it left.
    private var authors: [RoomName: RoomAuthor] = [:]
    var requests: [RequestID: Request] = [:]
    /// The newest use of each quota of the client's user or address that the server has warned of
    /// on this connection.
    var accountUses: [Quota: QuotaUse] = [:]
    private var lastRequest: RequestID = 0
    private var pauseCounts: [ReadingPause: Int] = [:]

    package init(
        options: SessionOptions, identity: ClientIdentity? = nil, loop: any EventLoop
    ) {
        self.options = options
        self.identity = identity ?? ClientIdentity(random: loop.random)
        self.loop = loop
        backOff = options.backOff
        tokens = options.token.map { TokenFetcher($0, on: loop) }
    }

    // MARK: Beginning and end

    /// Connects. `opened` is called once: when the server has answered, or with the error that
    /// ended the session.
    package func start(_ opened: @escaping (Result<Welcome, ClientError>) -> Void) {
        guard case .idle = state else { return opened(.failure(.closed)) }
        self.opened = opened
        connect()
    }

    /// Ends the session: leaves all rooms, and fails everything that is unanswered.
    package func close() {
        end(.closed)
    }

    func end(_ error: ClientError) {
        if case .ended = state { return }
        dropConnection()
        tokens?.close()
        state = .ended(error)
        let opened = opened.take()
        let requests = requests.sorted { $0.key < $1.key }.map(\.value)
        let memberships = memberships
        self.requests = [:]
        self.memberships = []
        opened?(.failure(error))
        for request in requests { request.reply(.failed(error)) }
        for membership in memberships { membership.end(error) }
    }

    /// Closes the connection, if there is one, and cancels its timers or that of the next attempt.
    func dropConnection() {
        endRenewal()
        tokens?.abandon()
        switch state {
        case .greeting(let connection, let timeout):
            timeout.cancel()
            connection.close()
        case .ready(let connection, _, _, let heartbeat):
            heartbeat.cancel()
            connection.close()
        case .waiting(let timer): timer.cancel()
        case .idle, .connecting, .ended: break
        }
    }

    /// Notifies memberships of the lost connection, and fails the requests that were sent on it.
    func didLoseConnection(_ error: ClientError) {
        for membership in memberships { membership.didLoseConnection() }
        for (id, request) in requests.sorted(by: { $0.key < $1.key }) where request.isSent {
            requests[id] = nil
            request.reply(.failed(error))
        }
    }

    // MARK: Rooms

    /// Becomes a member of a room.
    ///
    /// - Returns: the membership, whose observer gets the result; `nil` if the client is a member
    ///   of that room already.
    package func join(
        _ room: RoomName, options: Membership.Options = Membership.Options(),
        observer: any MembershipObserver
    ) -> Membership? {
        guard !memberships.contains(where: { $0.room == room }) else { return nil }
        let membership = Membership(
            room: room, options: options, author: authors[room] ?? RoomAuthor(identity),
            limits: self.options.limits, observer: observer)
        if case .ended(let error) = state {
            membership.end(error)
            return membership
        }
        memberships.append(membership)
        if case .ready(let connection, let welcome, _, _) = state {
            sendJoin(membership, on: connection, welcome)
        }
        return membership
    }

    /// Leaves a room. Unanswered transactions may be committed or not.
    package func leave(_ membership: Membership) {
        guard remove(membership) else { return }
        if let name = membership.name { sendLeave(name) }
        membership.end(.closed)
    }

    /// Ends a membership that the server refused or ended.
    func end(_ membership: Membership, _ error: ClientError) {
        guard remove(membership) else { return }
        membership.end(error)
    }

    /// Leaves a room that exceeds a limit of the client.
    func endOversized(_ membership: Membership, _ error: ClientError) {
        if let name = membership.name { sendLeave(name) }
        end(membership, error)
    }

    private func remove(_ membership: Membership) -> Bool {
        let count = memberships.count
        memberships.removeAll { $0 === membership }
        guard memberships.count < count else { return false }
        authors[membership.room] = membership.author
        return true
    }

    private func sendLeave(_ room: RoomReference) {
        guard case .ready(let connection, _, _, _) = state else { return }
        connection.send(
            .leave(Leave(request: makeRequestID(), room: room.handle)), naming: room.join)
    }

    /// Joins again under a new identity: the room has forgotten the client, and another client has
    /// taken its id.
    func joinAsAnother(_ membership: Membership) {
        guard case .ready(let connection, let welcome, _, _) = state else { return }
        membership.adoptIdentity(ClientIdentity(random: loop.random))
        sendJoin(membership, on: connection, welcome)
        pump(membership)
    }

    /// Sends a join. Later messages may name the room by its request.
    func sendJoin(
        _ membership: Membership, on connection: Connection, _ welcome: Welcome
    ) {
        connection.send(
            .join(
                membership.beginJoin(
                    makeRequestID(), presence: welcome.features.contains(.presence))))
    }

    // MARK: Views

    /// Opens a view of a room: a layout of it with a viewport. The membership's observer gets its
    /// updates.
    ///
    /// - Parameters:
    ///   - layout: how the room is laid out.
    ///   - bounds: what is on the screen, in the content's coordinates.
    ///   - overscan: how far beyond the bounds elements are wanted, in points.
    ///   - prepare: called with the view's number before its first event.
    /// - Returns: the view's number; `nil` if the client is no longer in the room. If the server
    ///   has no views, the observer gets the end of this one.
    package func openView(
        of membership: Membership, layout: ViewLayout, bounds: ListRect, overscan: Double,
        prepare: (ViewNumber) -> Void = { _ in }
    ) -> ViewNumber? {
        let view = membership.openView(layout: layout, bounds: bounds, overscan: overscan)
        if let view { prepare(view) }
        pump(membership)
        applyPause()
        return view
    }

    /// Scrolls, resizes or changes a view. Each change is sent at once; while something else is
    /// buffered for the connection, only the latest change is kept.
    package func changeView(
        _ view: ViewNumber, of membership: Membership, _ settings: ViewSettings
    ) {
        membership.changeView(view, settings)
        pump(membership)
    }

    /// Closes a view.
    package func closeView(_ view: ViewNumber, of membership: Membership) {
        membership.closeView(view)
        pump(membership)
        applyPause()
    }

    // MARK: Presence

    /// Sets what the other members see of this one, and resends it on each further connection.
    /// While something else is buffered for the connection, only the latest state is kept.
    /// Transactions that were submitted before are sent before.
    ///
    /// The membership's options must ask for presence, and the state must be within the limits.
    package func setPresence(_ state: PresenceState, of membership: Membership) {
        membership.setPresence(state)
        pump(membership)
    }

    // MARK: Transactions

    /// Sends operations to a room as one transaction; see ``Membership``. Transactions are sent in
    /// the order of the calls.
    @discardableResult
    package func submit(
        _ operations: [ListOperation], to membership: Membership, base: Revision? = nil,
        origin: Origin? = nil, counter: UInt64? = nil, isAllOrNothing: Bool = false,
        answer: @escaping (Answer) -> Void
    ) -> UInt64 {
        let counter = membership.enqueue(
            operations, base: base, origin: origin, counter: counter,
            isAllOrNothing: isAllOrNothing, answer: answer)
        pump(membership)
        applyPause()
        return counter
    }

    /// Sends what a membership may send now.
    func pump(_ membership: Membership) {
        guard case .ready(let connection, let welcome, _, _) = state else { return }
        if membership.endWhatIsNotOffered(by: welcome) { applyPause() }
        // A buffered message can't be replaced, so views and presence, of which only the latest
        // counts, wait until nothing is buffered.
        let isIdle = connection.bufferedBytes == 0
        if isIdle {
            membership.pumpViews { connection.sendChecked(.view($0), naming: $1) }
            if welcome.features.contains(.presence) {
                membership.pumpPresence { connection.send(.presence($0), naming: $1) }
            }
        }
        membership.pump(
            limit: welcome.limits.unansweredTransactions,
            takesGuards: welcome.features.contains(.guards),
            while: { [options] in connection.bufferedBytes < options.maximumBufferedBytes }
        ) { submit, join in
            connection.sendChecked(.submit(submit), naming: join)
        }
        // After the transactions that end drags.
        if isIdle { membership.pumpDrags { connection.send(.drag($0)) } }
        if membership.awaitsRetry { scheduleRetry(for: membership) }
    }

    /// Resends, after a delay, the transactions of a room that the server could not take.
    private func scheduleRetry(for membership: Membership) {
        guard let wait = membership.beginRetry() else { return }
        let full = max(options.refusedRetryMilliseconds, 1)
        let delay = wait + full - loop.random() % (full / 2 + 1)
        loop.schedule(afterMilliseconds: delay) { [weak self, weak membership] in
            guard let self, let membership, membership.endRetry() else { return }
            membership.retryRefused()
            pump(membership)
        }
    }

    func makeRequestID() -> RequestID {
        lastRequest &+= 1
        return lastRequest
    }

    // MARK: Reading

    /// Pauses reading until ``resumeReading(_:)`` has been called as often as this.
    package func pauseReading(_ pause: ReadingPause) {
        pauseCounts[pause, default: 0] += 1
        applyPause()
    }

    package func resumeReading(_ pause: ReadingPause) {
        pauseCounts[pause, default: 0] -= 1
        applyPause()
    }

    func applyPause() {
        guard case .ready(let connection, _, _, _) = state else { return }
        connection.isReadingPaused = isReadingPaused
    }

    var isReadingPaused: Bool {
        if pauseCounts[.always, default: 0] > 0 { return true }
        return pauseCounts[.unlessAwaited, default: 0] > 0 && requests.isEmpty
            && memberships.allSatisfy(\.isAllAnswered)
    }
}

/// When a pause of reading applies.
package enum ReadingPause: Sendable {
    /// Also while answers are awaited.
    case always
    /// Only while no answer is awaited, so that a reader that awaits one before it reads on does
    /// not wait for ever.
    case unlessAwaited
}

extension Reply {
    var isLast: Bool {
        switch self {
        case .done, .failed: true
        case .rooms, .stats, .part, .batch, .items: false
        }
    }
}
