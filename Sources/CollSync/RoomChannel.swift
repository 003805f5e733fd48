import SyncClient
import SyncLayout
import SyncModel
import SyncWire

/// Delivers the events of a room from the session's loop to tasks. It is used on the loop only.
final class RoomChannel: MembershipObserver {
    private let version: UInt32
    var membership: Membership?
    /// Called once: when the room can be used, or with why it can't.
    private var joined: ((Result<RoomWelcome, CollectionError>) -> Void)?
    private var welcome: RoomWelcome?
    /// The newest use of each quota that the server has warned of since the client's last join.
    private var nearLimits: [Quota: QuotaUse] = [:]
    private var broadcast: Broadcast<RoomEvent>
    private var views: [ViewNumber: ViewChannel] = [:]
    private var presence = PresenceBroadcast()

    init(
        session: ClientSession, version: UInt32,
        joined: @escaping (Result<RoomWelcome, CollectionError>) -> Void
    ) {
        broadcast = Broadcast(session: session) { event in
            switch event {
            case .snapshot(let snapshot): MemoryBytes.of(snapshot)
            case .authors(let authors): MemoryBytes.of(authors)
            case .batch(let batch): MemoryBytes.of(batch)
            case .joined(let welcome): welcome.user.utf8.count
            case .acknowledged(_, let commit):
                commit.superseded.count * MemoryLayout<Superseded>.stride
            // Their sentences are short.
            case .rejected, .interrupted, .ended, .nearLimit: 0
            }
        }
        self.version = version
        self.joined = joined
    }

    /// Adds an inbox. It gets the current state first, then all events.
    func subscribe(_ inbox: EventInbox<RoomEvent>, pausing pause: ReadingPause) {
        broadcast.add(inbox, pausing: pause) {
            var events: [RoomEvent] = []
            if let welcome { events.append(.joined(welcome)) }
            if let snapshot = membership?.replica.snapshot { events.append(.snapshot(snapshot)) }
            events += Quota.allCases.compactMap { nearLimits[$0] }.map(RoomEvent.nearLimit)
            return events
        }
    }

    /// Adds an inbox. It gets the members that are here first, then their changes.
    func subscribe(_ inbox: PresenceInbox) {
        presence.add(inbox, upToNow: membership?.others ?? [:])
    }

    private func send(_ event: RoomEvent) {
        broadcast.send(event)
    }

    /// Adds a view, which gets its events until it ends.
    func add(_ view: ViewChannel) {
        views[view.number] = view
    }

    private func didBecomeUsable() {
        guard let welcome else { return }
        joined.take()?(.success(welcome))
    }

    // MARK: What happens

    func membershipDidJoin(_ joined: Joined) {
        let welcome = RoomWelcome(joined, version: version)
        self.welcome = welcome
        nearLimits = [:]
        send(.joined(welcome))
        if membership?.options.keepsItems != true { didBecomeUsable() }
    }

    func membershipDidLoad(_ snapshot: Snapshot) {
        send(.snapshot(snapshot))
        didBecomeUsable()
    }

    func membershipDidReceive(_ authors: BatchAuthors) {
        send(.authors(authors.transactionAuthors))
    }

    func membershipDidApply(_ batch: Batch) {
        send(.batch(batch))
    }

    func membershipDidAnswer(_ counter: UInt64, _ answer: Answer) {
        switch answer {
        case .committed(let commit): send(.acknowledged(number: counter, commit))
        case .rejected(let rejection): send(.rejected(number: counter, rejection))
        case .unknown: break
        }
    }

    func membershipDidUpdate(_ view: ViewNumber, _ change: ViewChange) {
        views[view]?.didUpdate(change)
    }

    func membershipDidEnd(_ view: ViewNumber, _ error: ClientError) {
        views.removeValue(forKey: view)?.didEnd(CollectionError(error))
    }

    func membershipDidSee(_ client: Identifier, _ presence: SeenPresence?) {
        self.presence.send(client, presence)
    }

    func membershipDidDrag(_ view: ViewNumber, to target: DropTarget?) {
        views[view]?.didDrag(to: target)
    }

    func membershipDidLoseDrag(_ view: ViewNumber, _ error: ClientError) {
        views[view]?.didLoseDrag(CollectionError(error))
    }

    func membershipIsNear(_ use: QuotaUse) {
        nearLimits[use.quota] = use
        send(.nearLimit(use))
    }

    func membershipWasInterrupted(_ error: ClientError, retryAfterMilliseconds delay: UInt64) {
        send(.interrupted(CollectionError(error), retryAfterMilliseconds: delay))
    }

    func membershipDidEnd(_ error: ClientError) {
        let error = CollectionError(error)
        broadcast.finish(.ended(error))
        presence.finish()
        joined.take()?(.failure(error))
    }
}
