import SeededRandom
package import SyncIO

/// An event loop in a simulation. From the first callback of a turn to the turn's end, time passes.
/// So events that are close together are handled in one turn, as by a busy loop.
package final class SimulatedLoop: EventLoop {
    private enum Phase {
        case running
        /// Everything is being closed; user code runs only in the callbacks of that.
        case closing
        case ended
    }

    unowned let platform: SimulatedPlatform
    /// What other threads retain to wait for the loop.
    let end: SimulatedEnd
    private unowned let simulation: Simulation
    private let letters: SimulatedMailbox
    private var generator: SplitMix64
    private var phase = Phase.running
    private var isStopping = false
    private var actions: [() -> Void] = []
    private var isTurnUnderWay = false
    /// When the turn began; `nil` behind its end.
    private var turnBegan: UInt64?
    private var heldUntil: UInt64 = 0
    private var clockLeadMicroseconds: UInt64 = 0
    /// The open resources, in the order of opening, so that closing all of them is repeatable.
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

    /// Blocks the loop for a while, like a slow callback. Events that become due meanwhile are
    /// handled afterwards, timers first.
    func stall(forMicroseconds duration: UInt64) {
        heldUntil = simulation.nowMicroseconds + duration
    }

    private var isHeld: Bool { heldUntil > simulation.nowMicroseconds }

    private func unlessHeld(isTimer: Bool, _ action: @escaping () -> Void) {
        let now = simulation.nowMicroseconds
        guard heldUntil > now else { return action() }
        // Delayed events keep their order; timers come before the others.
        simulation.after(microseconds: heldUntil - now + (isTimer ? 0 : 1)) { [self] in
            unlessHeld(isTimer: isTimer, action)
        }
    }

    /// Calls back for an open resource within the turn's time.
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
        turnBegan = simulation.nowMicroseconds
        whileRunning(
            afterMicroseconds: simulation.random(in: simulation.conditions.turnMicroseconds)
        ) { [self] in
            isTurnUnderWay = false
            let actions = actions
            self.actions = []
            for action in actions where phase == .running { action() }
            if !isTurnUnderWay { turnBegan = nil }
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
    }

    /// Closes what it had open when it was killed, at the end of the simulation. Streams and their
    /// handlers retain each other until they are closed.
    func release() {
        let left = resources
        resources = []
        for case let stream as SimulatedStream in left { stream.release() }
    }

    // MARK: EventLoop

    package var nowMilliseconds: UInt64 { simulation.nowMicroseconds / 1000 }

    /// Simulated work takes no time, and nor does a turn, except for what a test lets pass between
    /// two readings of the clock.
    package var clockMicroseconds: UInt64 {
        clockLeadMicroseconds += simulation.conditions.clockReadMicroseconds
        return (turnBegan ?? simulation.nowMicroseconds) + clockLeadMicroseconds
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

/// A resource that a loop has open and must close before it ends.
protocol SimulatedResource: AnyObject {
    /// Closes; `didClose` of the loop follows.
    func closeWithLoop()

    /// Closes without a callback, because its process is gone.
    func abandon()
}

/// The mailbox of a simulated loop. Letters keep their order.
final class SimulatedMailbox: Mailbox, @unchecked Sendable {
    // Sendable, like everything in a simulation: a check ensures that only one thread uses it.
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

/// The end of a loop, for which others may wait.
package final class SimulatedEnd: Joinable, @unchecked Sendable {
    // Sendable, like everything in a simulation: a check ensures that only one thread uses it.
    private unowned let simulation: Simulation
    fileprivate(set) var hasCome = false

    init(simulation: Simulation) {
        self.simulation = simulation
    }

    /// Lets time pass until the loop has ended. That must happen within a simulated hour.
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
