package import SyncIO

/// An event loop in a simulation. It takes time from the first callback of a turn to the turn's
/// end, so that what comes close together is handled together, as it is by a loop that is busy.
package final class SimulatedLoop: EventLoop {
    private enum Phase {
        case running
        /// Everything is being closed; no user code but for what that causes.
        case closing
        case ended
    }

    unowned let platform: SimulatedPlatform
    /// What others hold to wait for the loop.
    let end: SimulatedEnd
    private unowned let simulation: Simulation
    private let letters: SimulatedMailbox
    private var generator: SeededRandom
    private var phase = Phase.running
    private var isStopping = false
    private var actions: [() -> Void] = []
    private var isTurnUnderWay = false
    private var heldUntil: UInt64 = 0
    private var clockLeadMicroseconds: UInt64 = 0
    /// What is open: a list in the order of opening, so that closing all is repeatable.
    private var resources: [any SimulatedResource] = []

    init(on platform: SimulatedPlatform) {
        self.platform = platform
        simulation = platform.simulation
        generator = simulation.makeGenerator()
        end = SimulatedEnd(simulation: simulation)
        letters = SimulatedMailbox(simulation: simulation)
        letters.loop = self
    }

    // MARK: Events

    /// Calls user code later, unless the loop is being closed by then.
    @discardableResult
    func whileRunning(
        afterMicroseconds delay: UInt64, isTimer: Bool = false, _ action: @escaping () -> Void
    ) -> SimulatedEvent {
        let event = simulation.after(microseconds: delay, isTimer: isTimer) { [self] in
            guard phase == .running else { return }
            if !isHeld { return action() }
            unlessHeld(isTimer: isTimer) { [self] in
                if phase == .running { action() }
            }
        }
        return event
    }

    /// Has the loop do nothing for a while, as if a callback took so long. What comes due meanwhile
    /// is called behind that, timers first.
    func stall(forMicroseconds duration: UInt64) {
        heldUntil = simulation.nowMicroseconds + duration
    }

    private var isHeld: Bool { heldUntil > simulation.nowMicroseconds }

    private func unlessHeld(isTimer: Bool, _ action: @escaping () -> Void) {
        let now = simulation.nowMicroseconds
        guard heldUntil > now else { return action() }
        // Those put off keep their order; timers come before the rest.
        simulation.after(microseconds: heldUntil - now + (isTimer ? 0 : 1)) { [self] in
            unlessHeld(isTimer: isTimer, action)
        }
    }

    /// Calls back for something that is open, soon.
    func soon(_ action: @escaping () -> Void) {
        let delay = simulation.random(in: simulation.conditions.turnMicroseconds)
        simulation.after(microseconds: delay) { [self] in
            if !isHeld {
                if phase != .ended { action() }
                return
            }
            unlessHeld(isTimer: false) { [self] in
                if phase != .ended { action() }
            }
        }
    }

    private func takeTurn() {
        guard !isTurnUnderWay else { return }
        isTurnUnderWay = true
        whileRunning(
            afterMicroseconds: simulation.random(in: simulation.conditions.turnMicroseconds)
        ) { [self] in
            isTurnUnderWay = false
            let actions = actions
            self.actions = []
            for action in actions where phase == .running { action() }
            if isStopping { closeEverything() }
        }
    }

    // MARK: The end

    func didOpen(_ resource: any SimulatedResource) {
        resources.append(resource)
    }

    func didClose(_ resource: any SimulatedResource) {
        resources.removeAll { $0 === resource }
        endIfAllIsClosed()
    }

    private func closeEverything() {
        guard phase == .running else { return }
        phase = .closing
        actions = []
        for resource in resources { resource.closeWithLoop() }
        endIfAllIsClosed()
    }

    private func endIfAllIsClosed() {
        guard phase == .closing, resources.isEmpty else { return }
        phase = .ended
        end.hasCome = true
    }

    /// Ends without another callback.
    func kill() {
        guard phase != .ended else { return }
        phase = .ended
        end.hasCome = true
        actions = []
        for resource in resources { resource.abandon() }
        resources = []
    }

    // MARK: EventLoop

    package var nowMilliseconds: UInt64 { simulation.nowMicroseconds / 1000 }

    /// Simulated work takes no time, but for what a test says passes between two looks at the
    /// clock.
    package var clockMicroseconds: UInt64 {
        clockLeadMicroseconds += simulation.conditions.clockReadMicroseconds
        return simulation.nowMicroseconds + clockLeadMicroseconds
    }

    /// A simulation begins on 14 November 2023.
    package var wallClockMilliseconds: UInt64 {
        1_700_000_000_000 + nowMilliseconds &+ platform.wallClockLeadMilliseconds
    }

    package var mailbox: any Mailbox { letters }

    package func random() -> UInt64 { generator.next() }

    @discardableResult
    package func schedule(
        afterMilliseconds delay: UInt64, _ action: @escaping () -> Void
    ) -> any Timer {
        let event = whileRunning(
            afterMicroseconds: simulation.microseconds(max(delay, 1)), isTimer: true
        ) { [self] in
            if !isStopping { action() }
        }
        return SimulatedTimer(event: event)
    }

    package func atEndOfTurn(_ action: @escaping () -> Void) {
        simulation.checkThread()
        guard phase != .ended else { return }
        actions.append(action)
        takeTurn()
    }

    package func openPort(
        _ address: SocketAddress, incoming: @escaping (any IncomingStream) -> Void
    ) throws(IOError) -> any Listener {
        guard !isStopping else { throw .system("the loop has stopped") }
        return try simulation.network.listen(on: address, loop: self, incoming: incoming)
    }

    package func connect(
        to address: SocketAddress, completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        guard phase != .ended else { return }
        let connector = SimulatedConnector(
            to: address, on: self, network: simulation.network, completion: completion)
        didOpen(connector)
        if isStopping { connector.closeWithLoop() } else { connector.start() }
    }

    package func stop() {
        simulation.checkThread()
        isStopping = true
        takeTurn()
    }
}

/// What a loop has open and must close before it ends.
protocol SimulatedResource: AnyObject {
    /// Closes; `didClose` of the loop follows.
    func closeWithLoop()

    /// Closes without calling anyone: its process is gone.
    func abandon()
}

/// A simulated loop's letter box. Letters stay in order.
final class SimulatedMailbox: Mailbox, @unchecked Sendable {
    // Sendable, like all in a simulation, because it is checked that only one thread uses it.
    private unowned let simulation: Simulation
    fileprivate weak var loop: SimulatedLoop?
    private var lastDelivery: UInt64 = 0
    private var waitingCount = 0

    init(simulation: Simulation) {
        self.simulation = simulation
    }

    func post(_ work: @escaping @Sendable () -> Void) {
        simulation.checkThread()
        let delay = simulation.random(in: simulation.conditions.mailDelayMicroseconds)
        let now = simulation.nowMicroseconds
        lastDelivery = max(lastDelivery, now + delay)
        waitingCount += 1
        simulation.note(mailCount: waitingCount)
        loop?.whileRunning(afterMicroseconds: lastDelivery - now) { [self] in
            waitingCount -= 1
            work()
        }
    }
}

/// The end of a loop, which others may wait for.
package final class SimulatedEnd: Joinable, @unchecked Sendable {
    // Sendable, like all in a simulation, because it is checked that only one thread uses it.
    private unowned let simulation: Simulation
    fileprivate(set) var hasCome = false

    init(simulation: Simulation) {
        self.simulation = simulation
    }

    /// Lets time pass until the loop has ended, which must come to be within a simulated hour.
    package func join() {
        let hasEnded = simulation.run { hasCome }
        precondition(hasEnded, "a loop that is waited for must have been told to stop")
    }
}

private final class SimulatedTimer: Timer {
    private let event: SimulatedEvent

    init(event: SimulatedEvent) {
        self.event = event
    }

    func cancel() {
        event.cancel()
    }
}
