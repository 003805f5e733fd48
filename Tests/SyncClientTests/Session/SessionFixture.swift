import SyncClient
import SyncIO
import SyncLayout
import SyncModel
import SyncSim
import SyncWire

/// A client on a simulated machine, and everything that it was notified of.
final class SessionFixture {
    let simulation: Simulation
    let host: String
    let platform: SimulatedPlatform
    private(set) var session: ClientSession?
    let room = RoomListener()
    var membership: Membership?
    var opened: Result<Welcome, ClientError>?

    init(
        _ simulation: Simulation, name: String = "client",
        address: SocketAddress = SocketAddress(host: "127.0.0.1", port: 7420),
        change: (inout SessionOptions) -> Void = { _ in }
    ) throws {
        self.simulation = simulation
        host = name
        platform = simulation.makePlatform(named: name)
        var options = SessionOptions(address: address, agent: "test")
        change(&options)
        let chosen = options
        nonisolated(unsafe) let fixture = self
        try platform.startLoop(named: "client") { loop in
            let session = ClientSession(options: chosen, loop: loop)
            fixture.session = session
            session.start { fixture.opened = $0 }
        }
        simulation.run { session != nil }
    }

    /// Runs the simulation until the first connection is open or has failed.
    func open() {
        simulation.run { opened != nil }
    }

    func join(_ name: String = "room", options: Membership.Options = Membership.Options()) {
        guard let name = RoomName(name) else { return }
        membership = session?.join(name, options: options, observer: room)
    }

    @discardableResult
    func submit(_ operations: [ListOperation] = [], base: Revision? = nil) -> UInt64 {
        guard let membership, let session else { return 0 }
        return session.submit(operations, to: membership, base: base) { [weak self] answer in
            self?.answers.append(answer)
        }
    }

    /// The answers in the order in which they came.
    private(set) var answers: [Answer] = []
}

/// Records the events of a room.
final class RoomListener: MembershipObserver {
    enum Event: Equatable {
        case joined(Revision, resumed: Bool)
        case snapshot(Revision)
        case batch(Revision, Revision)
        case answer(UInt64, Answer)
        case view(ViewNumber, ViewChange)
        case viewEnded(ViewNumber, String)
        case dragged(ViewNumber, DropTarget?)
        case dragEnded(ViewNumber, String)
        /// What another member has selected; `nil` if it is gone.
        case sees(String, [String]?)
        case nearLimit(QuotaUse)
        case interrupted(String)
        case ended(String)
    }

    private(set) var events: [Event] = []
    private(set) var delays: [UInt64] = []

    func clear() {
        events = []
    }

    var hasEnded: Bool {
        if case .ended = events.last { true } else { false }
    }

    func membershipDidJoin(_ joined: Joined) {
        events.append(.joined(joined.revision, resumed: joined.resumed))
    }

    func membershipDidLoad(_ snapshot: Snapshot) {
        events.append(.snapshot(snapshot.revision))
    }

    func membershipDidApply(_ batch: Batch) {
        events.append(.batch(batch.from, batch.to))
    }

    func membershipDidAnswer(_ counter: UInt64, _ answer: Answer) {
        events.append(.answer(counter, answer))
    }

    func membershipDidUpdate(_ view: ViewNumber, _ change: ViewChange) {
        events.append(.view(view, change))
    }

    func membershipDidEnd(_ view: ViewNumber, _ error: ClientError) {
        events.append(.viewEnded(view, error.code))
    }

    func membershipDidSee(_ client: Identifier, _ presence: SeenPresence?) {
        events.append(.sees(client.text, presence?.state.selected.map(\.text)))
    }

    func membershipDidDrag(_ view: ViewNumber, to target: DropTarget?) {
        events.append(.dragged(view, target))
    }

    func membershipDidLoseDrag(_ view: ViewNumber, _ error: ClientError) {
        events.append(.dragEnded(view, error.code))
    }

    func membershipIsNear(_ use: QuotaUse) {
        events.append(.nearLimit(use))
    }

    func membershipWasInterrupted(_ error: ClientError, retryAfterMilliseconds delay: UInt64) {
        events.append(.interrupted(error.code))
        delays.append(delay)
    }

    func membershipDidEnd(_ error: ClientError) {
        events.append(.ended(error.code))
    }
}
