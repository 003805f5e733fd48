import SeededRandom
import SyncIO
import SyncLayout
import SyncModel
import SyncSim
import SyncWire
import WireSupport

/// A machine whose user may see some rooms and never change one, and tries everything. It sends
/// messages of its own, as the client library holds some of them back.
final class Intruder: MessageStreamHandler {
    typealias Identity = (client: Identifier, secret: [UInt8])

    private static let user: Identifier = "intruder"

    private let simulation: Simulation
    private let observer: AccessObserver
    private let rooms: [RoomName]
    private let security: (any ClientSecurity)?
    /// The identities of others that have written in a room, and still are its authors.
    private let identities: (RoomName) -> [Identity]
    private var random: SplitMix64
    private var platform: SimulatedPlatform?
    private var loop: (any EventLoop)?
    private var stream: MessageStream?
    private var request: RequestID = 0
    private var counter: UInt64 = 0
    private var handles: [RoomHandle] = []

    init(
        _ simulation: Simulation, _ scenario: Scenario, _ observer: AccessObserver,
        _ security: (any ClientSecurity)?, knowing identities: @escaping (RoomName) -> [Identity]
    ) {
        self.simulation = simulation
        self.observer = observer
        self.security = security
        self.identities = identities
        rooms = scenario.roomNames
        random = SplitMix64(seed: scenario.seed &* 0xBF58_476D &+ 13)
    }

    func start() throws {
        let platform = simulation.makePlatform(named: Intruder.user.text)
        self.platform = platform
        nonisolated(unsafe) let intruder = self
        try platform.startLoop(named: Intruder.user.text) { loop in
            intruder.loop = loop
            intruder.rest()
        }
    }

    /// Ends its process.
    func leave() {
        platform?.kill()
        platform = nil
        loop = nil
        stream?.abandon()
        stream = nil
    }

    private func rest() {
        loop?.schedule(afterMilliseconds: UInt64(5 + random.below(40))) { [weak self] in
            guard let self, let loop else { return }
            if let stream {
                if stream.isOpen { act(on: stream) }
            } else {
                stream = MessageStream(
                    to: ServerMachine.address, on: loop, by: security, handler: self)
            }
            rest()
        }
    }

    /// A token of its own, mostly one that is valid.
    private func token() -> String {
        let office = observer.office
        switch random.below(12) {
        case 0: return office.issue(expired: Intruder.user)
        case 1: return random.chance(50) ? "" : "broken"
        default: return office.issue(viewer: Intruder.user)
        }
    }

    private func act(on stream: MessageStream) {
        guard let room = random.pick(rooms) else { return }
        request += 1
        let handle = random.chance(90) ? random.pick(handles) ?? 1 : RoomHandle(random.below(4))
        switch random.below(15) {
        case 0, 1, 2: stream.send(.join(join(room)))
        case 3: stream.send(.readSnapshot(ReadSnapshot(request: request, room: room)))
        case 4:
            let query = ItemQuery(.page(in: nil, after: nil), limit: 10)
            stream.send(
                request % 2 == 0
                    ? .readItems(ReadItems(request: request, room: room, query))
                    : .readHistory(ReadHistory(request: request, room: room, from: 0)))
        case 5: stream.send(.readStats(RoomRequest(request: request, room: room)))
        case 6: stream.send(.listRooms(ListRooms(request: request)))
        case 7: stream.send(.deleteRoom(RoomRequest(request: request, room: room)))
        case 8, 9: submit(to: handle, on: stream)
        case 10:
            stream.send(
                .view(
                    ViewRequest(
                        room: handle, view: 1, layout: ViewLayout(.flow),
                        bounds: ListRect(width: 320, height: 480))))
        case 11:
            stream.send(.drag(Drag(room: handle, number: 1, .begin("a", view: 1, isShared: true))))
        case 12: stream.send(.revoke(Revoke(request: request, .all)))
        default: stream.send(.renew(Renew(request: request, token: newToken())))
        }
    }

    private func newToken() -> String {
        // Also one of another user, who is an editor.
        random.chance(30) ? observer.office.issue(ClientMachine.user(0)) : token()
    }

    /// A join under a name of its own, or as another's client with that one's secret.
    private func join(_ room: RoomName) -> Join {
        if random.chance(40), let other = random.pick(identities(room)) {
            observer.didAct(.stolen)
            return Join(request: request, room: room, client: other.client, secret: other.secret)
        }
        return Join(request: request, room: room, client: "intruder", presence: true)
    }

    private func submit(to handle: RoomHandle, on stream: MessageStream) {
        counter += 1
        let operation = ListOperation.insertSection(
            ListSection(id: "intruded"), to: Placement())
        let transaction = ListTransaction(base: 0, operations: [operation])
        guard
            let submit = try? Submit(room: handle, counter: counter, transaction: transaction)
        else { return }
        stream.send(.submit(submit))
    }

    // MARK: The stream

    func streamDidOpen() {
        handles = []
        stream?.send(.hello(Hello(features: .all, token: token(), agent: Intruder.user.text)))
    }

    func streamDidReceive(_ message: ServerMessage) {
        if case .joined(let joined) = message { handles.append(joined.handle) }
    }

    func streamDidFail(_ error: WireError) {}

    func streamDidClose() { stream = nil }
}
