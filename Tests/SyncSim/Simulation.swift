import Glibc
import SeededRandom
import SyncIO

/// A world for server and clients, in one thread and without real time.
///
/// It owns the clock, the queue of future events, the network, and the random numbers that decide
/// how long each thing takes. Time only passes from event to event, so a day of heartbeats takes
/// milliseconds.
///
///     let simulation = Simulation(seed: 7)
///     let server = simulation.makePlatform(named: "server")
///     try server.startLoop(named: "loop") { loop in … }
///     simulation.run(forMilliseconds: 1000)
///
/// Invariants:
/// 1. One seed makes one run: what happens depends only on the seed and the calls. Nothing here may
///    iterate over a hashed collection, read a real clock or use the system's random numbers.
/// 2. Events happen in the order of their times; events at the same time happen in the order of the
///    requests.
/// 3. Everything happens on the thread that made the simulation, from one of the `run` functions.
///    Because this is checked, types that must be `Sendable` are so here without locks.
/// 4. The simulation outlives everything that was made in it.
///
/// Tests choose the faults: of ``network``, of a connection, of a platform
/// (``SimulatedPlatform/kill()``), or by changing ``conditions``.
package final class Simulation: @unchecked Sendable {
    package let seed: UInt64
    package var conditions = Conditions()
    package private(set) var nowMicroseconds: UInt64 = 0
    package private(set) lazy var network = SimulatedNetwork(simulation: self)
    private var platforms: [SimulatedPlatform] = []
    private var generator: SplitMix64
    private var queue = EventQueue()
    private var nextNumber: UInt64 = 0
    private var pendingWork = 0
    private(set) var isInEvent = false
    /// The greatest number of letters that ever waited for one loop.
    package private(set) var largestMailCount = 0
    private var hasEnded = false
    private let thread = pthread_self()

    package init(seed: UInt64) {
        self.seed = seed
        generator = SplitMix64(seed: seed)
    }

    deinit {
        precondition(hasEnded, "who makes a simulation calls `end()`, in a `defer` or a `deinit`")
    }

    /// A machine of its own, with the loops and workers of one process.
    package func makePlatform(named host: String) -> SimulatedPlatform {
        let platform = SimulatedPlatform(host: host, simulation: self)
        platforms.append(platform)
        return platform
    }

    // MARK: Running

    /// Lets time pass.
    package func run(forMilliseconds duration: UInt64) {
        let end = time(afterMicroseconds: microseconds(duration))
        while happenNext(notAfter: end) {}
        nowMicroseconds = end
    }

    /// Lets time pass until the condition is true, or the limit is reached.
    ///
    /// - Returns: whether the condition is true.
    @discardableResult
    package func run(
        limitMilliseconds limit: UInt64 = 3_600_000, until condition: () -> Bool
    ) -> Bool {
        let end = time(afterMicroseconds: microseconds(limit))
        while !condition() {
            if !happenNext(notAfter: end) { return false }
        }
        return true
    }

    /// Lets time pass until no bytes, mail or jobs are pending. Timers may be left; those that
    /// become due meanwhile fire.
    ///
    /// - Returns: whether that happened within the limit.
    @discardableResult
    package func runUntilIdle(limitMilliseconds limit: UInt64 = 3_600_000) -> Bool {
        run(limitMilliseconds: limit) { pendingWork == 0 }
    }

    private func happenNext(notAfter end: UInt64) -> Bool {
        checkThread()
        precondition(!isInEvent, "a simulation is not run from within itself")
        while let next = queue.first, next.atMicroseconds <= end || next.isCancelled {
            _ = queue.popFirst()
            if !next.isTimer { pendingWork -= 1 }
            if next.isCancelled { continue }
            nowMicroseconds = next.atMicroseconds
            isInEvent = true
            next.happen()
            isInEvent = false
            return true
        }
        return false
    }

    /// Kills all processes and cancels future events. Every simulation needs this as its last call:
    /// otherwise reference cycles of servers and clients would stay in memory.
    package func end() {
        checkThread()
        for platform in platforms { platform.kill() }
        for platform in platforms { platform.release() }
        let left = queue
        queue = EventQueue()
        left.cancelAll()
        pendingWork = 0
        hasEnded = true
    }

    // MARK: Future events

    /// Schedules an action, such as a fault in the middle of a run.
    @discardableResult
    package func after(
        milliseconds delay: UInt64, _ action: @escaping () -> Void
    ) -> SimulatedEvent {
        after(microseconds: microseconds(delay), action)
    }

    @discardableResult
    func after(
        microseconds delay: UInt64, isTimer: Bool = false, _ action: @escaping () -> Void
    ) -> SimulatedEvent {
        checkThread()
        let event = SimulatedEvent(
            atMicroseconds: time(afterMicroseconds: delay), number: nextNumber, isTimer: isTimer,
            action)
        nextNumber += 1
        if !isTimer { pendingWork += 1 }
        queue.insert(event)
        return event
    }

    func microseconds(_ milliseconds: UInt64) -> UInt64 {
        let (product, overflows) = milliseconds.multipliedReportingOverflow(by: 1000)
        return overflows ? .max : product
    }

    /// The time after a delay; the end of time if the sum overflows.
    private func time(afterMicroseconds delay: UInt64) -> UInt64 {
        let (sum, overflows) = nowMicroseconds.addingReportingOverflow(delay)
        return overflows ? .max : sum
    }

    // MARK: Chance

    package func random<Number: FixedWidthInteger>(in range: ClosedRange<Number>) -> Number {
        checkThread()
        return Number.random(in: range, using: &generator)
    }

    /// A generator of its own for one part, so that its draws do not change those of others.
    func makeGenerator() -> SplitMix64 {
        SplitMix64(seed: generator.next())
    }

    func note(mailCount: Int) {
        largestMailCount = max(largestMailCount, mailCount)
    }

    func checkThread() {
        precondition(
            pthread_equal(thread, pthread_self()) != 0, "a simulation belongs to one thread")
    }
}
