package import SyncIO
package import SyncLayout
package import SyncModel
package import SyncWire

/// A client's dealings with a server: one connection after the other, and over them its memberships
/// in rooms and its requests.
///
/// It owns the connection, who is a member of what, what was asked, and the timers. It lives on one
/// event loop, simulated or real, and knows neither threads nor libuv.
///
/// Invariants:
/// 1. There is at most one connection, and at most one attempt or timer for the next.
/// 2. A first connection that fails is the end, so that whoever made a mistake in the address hears
///    of it. Later ones are tried again, with back-off, until ``close()`` or until the server says
///    that it is no use.
/// 3. Memberships go on over connections: each joins again with its client id, secret and last
///    revision, opens its views again, and shows again what it shows the others. A request waits
///    for a connection; one that was sent on a lost one has failed.
/// 4. A batch or a view's update that does not fit, like anything else that can't be understood,
///    ends the connection; the next one brings a snapshot, and the views anew.
/// 5. While anyone wants reading paused, nothing is read (see ``ReadingPause``): the server then
///    sees a slow reader.
///
/// It leaves the protocol's bytes to ``Connection``, what is held of a room to ``Membership``, and
/// threads to who uses it.
package final class ClientSession {
    enum State {
        case idle
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
    /// Whether a server has ever answered, so that a failure is a loss and not a mistake.
    var hasBeenReady = false
    var opened: ((Result<Welcome, ClientError>) -> Void)?

    private(set) var memberships: [Membership] = []
    /// Who the client is in rooms that were left.
    private var authors: [RoomName: RoomAuthor] = [:]
    var requests: [RequestID: Request] = [:]
    private var lastRequest: RequestID = 0
    private var pauseCounts: [ReadingPause: Int] = [:]
    private var isRetryScheduled = false

    package init(
        options: SessionOptions, identity: ClientIdentity? = nil, loop: any EventLoop
    ) {
        self.options = options
        self.identity = identity ?? ClientIdentity(random: loop.random)
        self.loop = loop
        backOff = options.backOff
    }

    // MARK: Beginning and end

    /// Connects. `opened` is called once: when the server has answered, or with why it is the end.
    package func start(_ opened: @escaping (Result<Welcome, ClientError>) -> Void) {
        guard case .idle = state else { return opened(.failure(.closed)) }
        self.opened = opened
        connect()
    }

    /// Ends it: leaves all rooms, and whatever was not answered has failed.
    package func close() {
        end(.closed)
    }

    func end(_ error: ClientError) {
        if case .ended = state { return }
        dropConnection()
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

    /// Closes what there is of a connection or an attempt.
    func dropConnection() {
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

    /// Tells rooms and requests that the connection is lost.
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
    /// - Returns: the membership; its observer hears what comes of it. `nil` if the client is a
    ///   member of that room already.
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

    /// Leaves a room. Transactions that are not answered yet may be taken or not.
    package func leave(_ membership: Membership) {
        guard remove(membership) else { return }
        if let name = membership.name { sendLeave(name) }
        membership.end(.closed)
    }

    /// Ends a membership whose room is not to be had.
    func end(_ membership: Membership, _ error: ClientError) {
        guard remove(membership) else { return }
        membership.end(error)
    }

    /// Leaves a room of which the server says more than the client takes.
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

    /// Joins again as somebody new: the room has forgotten the client, and somebody else has taken
    /// its id.
    func joinAsAnother(_ membership: Membership) {
        guard case .ready(let connection, let welcome, _, _) = state else { return }
        membership.takeIdentity(ClientIdentity(random: loop.random))
        sendJoin(membership, on: connection, welcome)
        pump(membership)
    }

    /// Asks to be let in. What is sent behind it may name the room by this request.
    func sendJoin(
        _ membership: Membership, on connection: Connection, _ welcome: Welcome
    ) {
        connection.send(
            .join(
                membership.beginJoin(
                    makeRequestID(), presence: welcome.features.contains(.presence))))
    }

    // MARK: Views

    /// Opens a view of a room: a layout of it with a viewport. The membership's observer hears what
    /// it shows.
    ///
    /// - Parameters:
    ///   - layout: JSON, as ``ViewRequest/layout`` says.
    ///   - bounds: what is on the screen, in the content's coordinates.
    ///   - overscan: how far beyond the bounds elements are wanted, in points.
    ///   - prepare: called with the view's number before anything is heard of it.
    /// - Returns: the view's number; `nil` if the client is in the room no more. A server that has
    ///   no views is heard of as one that refuses this one.
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

    /// Scrolls, resizes or switches a view. Each change is sent at once; while something else waits
    /// for the connection, only the latest is kept.
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

    /// Shows the other members something of this one from now on, again on each further connection;
    /// of what can't leave at once only the latest is sent. What was submitted before is there
    /// before.
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
        origin: Origin? = nil, counter: UInt64? = nil, answer: @escaping (Answer) -> Void
    ) -> UInt64 {
        let counter = membership.enqueue(
            operations, base: base, origin: origin, counter: counter, answer: answer)
        pump(membership)
        applyPause()
        return counter
    }

    /// Sends what a member may send now.
    func pump(_ membership: Membership) {
        guard case .ready(let connection, let welcome, _, _) = state else { return }
        if membership.endWhatIsNotOffered(by: welcome) { applyPause() }
        // What waits can't be taken back, and of views and presence only the latest is wanted.
        let isIdle = connection.waitingBytes == 0
        if isIdle {
            membership.pumpViews { connection.sendChecked(.view($0), naming: $1) }
            if welcome.features.contains(.presence) {
                membership.pumpPresence { connection.send(.presence($0), naming: $1) }
            }
        }
        membership.pump(
            limit: welcome.limits.unansweredTransactions,
            while: { [options] in connection.waitingBytes < options.maximumWaitingBytes }
        ) { submit, join in
            connection.sendChecked(.submit(submit), naming: join)
        }
        // Behind the transactions that drop something.
        if isIdle { membership.pumpDrags { connection.send(.drag($0)) } }
        if membership.awaitsRetry { scheduleRetry() }
    }

    /// Sends again, after a while, what the server could not take.
    private func scheduleRetry() {
        guard !isRetryScheduled else { return }
        isRetryScheduled = true
        let full = max(options.refusedRetryMilliseconds, 1)
        let delay = full - loop.random() % (full / 2 + 1)
        loop.schedule(afterMilliseconds: delay) { [weak self] in
            guard let self else { return }
            isRetryScheduled = false
            for membership in memberships where membership.awaitsRetry {
                membership.retryRefused()
                pump(membership)
            }
        }
    }

    func makeRequestID() -> RequestID {
        lastRequest &+= 1
        return lastRequest
    }

    // MARK: Reading

    /// Stops reading until ``resumeReading(_:)`` has been called as often as this.
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

/// When reading is to stop.
package enum ReadingPause: Sendable {
    /// Whatever is awaited.
    case always
    /// As long as no answer is awaited, so that who waits for one before reading on does not wait
    /// for ever.
    case unlessAwaited
}

extension Reply {
    var isLast: Bool {
        switch self {
        case .done, .failed: true
        case .rooms, .stats, .part, .batch: false
        }
    }
}
