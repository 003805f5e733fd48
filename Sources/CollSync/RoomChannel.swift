import SyncClient
import SyncEngine
import SyncWire

/// What goes on in a room, on its way from the session's loop to tasks. It is used on the loop only.
final class RoomChannel: MembershipObserver {
    private unowned let session: Session
    private let version: UInt32
    private let window: SubmissionWindow
    var membership: Membership?
    /// Called once: when the room is there to be used, or can't be.
    private var joined: ((Result<RoomWelcome, CollectionError>) -> Void)?
    private var welcome: RoomWelcome?
    private var ending: CollectionError?
    private var inboxes: [WeakInbox] = []

    private struct WeakInbox {
        weak var inbox: Inbox<RoomEvent>?
        let pause: ReadingPause
    }

    init(
        session: Session, version: UInt32, window: SubmissionWindow,
        joined: @escaping (Result<RoomWelcome, CollectionError>) -> Void
    ) {
        self.session = session
        self.version = version
        self.window = window
        self.joined = joined
    }

    /// Lets an inbox have all events from now on, after what brings its reader up to now.
    func subscribe(_ inbox: Inbox<RoomEvent>, pausing pause: ReadingPause) {
        if let ending {
            _ = inbox.put(.ended(ending))
            return inbox.finish()
        }
        inboxes.append(WeakInbox(inbox: inbox, pause: pause))
        if let welcome { put(.joined(welcome), in: inbox, pause) }
        if let snapshot = membership?.replica.snapshot {
            put(.snapshot(snapshot), in: inbox, pause)
        }
    }

    private func tell(_ event: RoomEvent) {
        var hasGone = false
        for entry in inboxes {
            if let inbox = entry.inbox {
                put(event, in: inbox, entry.pause)
            } else {
                hasGone = true
            }
        }
        if hasGone { inboxes.removeAll { $0.inbox == nil } }
    }

    private func put(
        _ event: RoomEvent, in inbox: Inbox<RoomEvent>, _ pause: ReadingPause
    ) {
        if inbox.put(event) { session.pauseReading(pause) }
    }

    private func didBecomeUsable() {
        guard let welcome else { return }
        joined.take()?(.success(welcome))
    }

    // MARK: What happens

    func membershipDidJoin(_ joined: Joined) {
        let welcome = RoomWelcome(joined, version: version)
        self.welcome = welcome
        tell(.joined(welcome))
        if membership?.options.holdsItems != true { didBecomeUsable() }
    }

    func membershipDidLoad(_ snapshot: Snapshot) {
        tell(.snapshot(snapshot))
        didBecomeUsable()
    }

    func membershipDidApply(_ batch: Batch) {
        tell(.batch(batch))
    }

    func membershipDidAnswer(_ counter: UInt64, _ answer: Answer) {
        window.leave()
        switch answer {
        case .committed(let commit): tell(.acknowledged(number: counter, commit))
        case .rejected(let rejection): tell(.rejected(number: counter, rejection))
        case .unknown: break
        }
    }

    func membershipWasInterrupted(_ error: ClientError, retryAfterMilliseconds delay: UInt64) {
        tell(.interrupted(CollectionError(error), retryAfterMilliseconds: delay))
    }

    func membershipDidEnd(_ error: ClientError) {
        let error = CollectionError(error)
        ending = error
        tell(.ended(error))
        for entry in inboxes { entry.inbox?.finish() }
        inboxes = []
        joined.take()?(.failure(error))
    }
}
