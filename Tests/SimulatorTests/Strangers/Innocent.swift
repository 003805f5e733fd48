import SyncIO
import SyncModel
import SyncServer
import SyncSim
import SyncWire
import WireSupport

/// A well-behaved client beside strangers. In a room of its own it edits and reads by turns. It
/// counts how many steps of full turns pass until it has each answer.
final class Innocent: MessageStreamHandler {
    static let room = "innocent"

    private let simulation: Simulation
    private let turns: () -> TurnFigures?
    private let security: (any ClientSecurity)?
    private var platform: SimulatedPlatform?
    private var stream: MessageStream?
    private var joined: Joined?
    private var fullSteps = 0
    private var counter: UInt64 = 0

    /// The longest wait for an answer, in steps of full turns, and the number of answers.
    private(set) var longestWait = 0
    private(set) var answers = 0
    /// Why it gave up.
    private(set) var failure: String?

    /// - Parameter turns: the figures of the server's turns.
    init(
        _ simulation: Simulation, by security: (any ClientSecurity)?,
        turns: @escaping () -> TurnFigures?
    ) {
        self.security = security
        self.simulation = simulation
        self.turns = turns
    }

    func start() throws {
        let platform = simulation.makePlatform(named: Innocent.room)
        self.platform = platform
        nonisolated(unsafe) let innocent = self
        try platform.startLoop(named: Innocent.room) { loop in
            innocent.stream = MessageStream(
                to: ServerMachine.address, on: loop, by: innocent.security, handler: innocent)
            innocent.beat(on: loop)
        }
    }

    private func beat(on loop: any EventLoop) {
        loop.schedule(afterMilliseconds: 50) { [weak self] in
            guard let self else { return }
            stream?.send(.heartbeat(Heartbeat()))
            beat(on: loop)
        }
    }

    /// The wait so far for the pending answer.
    var wait: Int { max(0, (turns()?.fullSteps ?? 0) - fullSteps) }

    /// Ends its process.
    func leave() {
        platform?.kill()
        platform = nil
        stream?.abandon()
        stream = nil
    }

    private func ask(_ message: ClientMessage) {
        fullSteps = turns()?.fullSteps ?? 0
        stream?.send(message)
    }

    private func askNext() {
        guard let joined else { return }
        if answers % 2 == 0 {
            return ask(.readSnapshot(ReadSnapshot(request: 2, room: joined.room)))
        }
        counter += 1
        let main: Identifier = "main"
        guard let item = try? Identifier("i\(counter)") else {
            return
        }
        let transaction = ListTransaction(
            base: joined.revision,
            operations: [.insert(Item(id: item), to: Placement(section: main))])
        guard
            let submit = try? Submit(
                room: joined.handle, counter: counter, transaction: transaction)
        else { return }
        ask(.submit(submit))
    }

    // MARK: The stream

    func streamDidOpen() {
        stream?.send(.hello(Hello(agent: "innocent")))
        guard let room = RoomName(Innocent.room), let client = try? Identifier(Innocent.room) else {
            return
        }
        ask(.join(Join(request: 1, room: room, client: client)))
    }

    func streamDidReceive(_ message: ServerMessage) {
        switch message {
        case .joined(let joined): self.joined = joined
        case .ack, .done: break
        case .reject(let reject): return failure = "it is refused: \(reject.rejection)"
        case .error(let error): return failure = "it is told: \(error.code) \(error.text)"
        default: return
        }
        longestWait = max(longestWait, wait)
        answers += 1
        askNext()
    }

    func streamDidFail(_ error: WireError) {
        failure = "it is told what can't be read: \(error)"
    }

    func streamDidClose() {
        if platform != nil { failure = failure ?? "it has no connection" }
    }
}
