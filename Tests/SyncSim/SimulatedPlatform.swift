package import SyncIO

/// A process on a machine of its own: its loops and workers are simulated, all on one thread.
package final class SimulatedPlatform: Platform, @unchecked Sendable {
    // Sendable, like all in a simulation, because it is checked that only one thread uses it.

    /// The machine's name, for partitions.
    package let host: String
    /// How much this machine's calendar is ahead of the simulation's.
    package var wallClockLeadMilliseconds: UInt64 = 0
    /// From which address it connects, if not from that of the port it connects to.
    package var address: String?
    unowned let simulation: Simulation
    private var loops: [SimulatedLoop] = []
    private var workers: [SimulatedWorker] = []
    package private(set) var isKilled = false
    /// The death that is to come, and how many acts come before it.
    private var doom: (actsLeft: Int, atSync: Bool, die: () -> Void)?

    init(host: String, simulation: Simulation) {
        self.host = host
        self.simulation = simulation
    }

    @discardableResult
    package func startLoop(
        named name: String, _ body: @escaping @Sendable (any EventLoop) -> Void
    ) throws(IOError) -> any Joinable {
        simulation.checkThread()
        precondition(!isKilled, "a killed process starts nothing")
        let loop = SimulatedLoop(on: self)
        loops.append(loop)
        loop.whileRunning(
            afterMicroseconds: simulation.random(in: simulation.conditions.turnMicroseconds)
        ) {
            body(loop)
        }
        return loop.end
    }

    package func startWorker(named name: String) throws(IOError) -> any Worker {
        simulation.checkThread()
        precondition(!isKilled, "a killed process starts nothing")
        let worker = SimulatedWorker(simulation: simulation)
        workers.append(worker)
        return worker
    }

    /// Whether all its loops have ended, of themselves or killed.
    package var hasEnded: Bool { loops.allSatisfy(\.end.hasCome) }

    /// Has its loops do nothing for a while, as one that a callback holds.
    package func stall(forMilliseconds duration: UInt64) {
        for loop in loops { loop.stall(forMicroseconds: simulation.microseconds(duration)) }
    }

    // MARK: Death

    /// Has the process die in the midst of what it does: when so many of its acts, writes to
    /// connections and to disk, are done and the next one is about to be.
    ///
    /// - Parameters:
    ///   - atSync: the next one then is a sync, behind what it is to keep.
    ///   - die: kills it, with all that belongs to that.
    package func doom(
        afterActs count: Int, atSync: Bool = false, _ die: @escaping () -> Void
    ) {
        doom = (count, atSync, die)
    }

    /// Lets the process live that was to die.
    package func pardon() {
        doom = nil
    }

    /// Called before anything that others can notice.
    ///
    /// - Parameter isSync: whether it syncs what was written just before.
    /// - Returns: whether it happens; the process may be dead.
    func beginAct(isSync: Bool = false) -> Bool {
        simulation.checkThread()
        guard !isKilled else { return false }
        guard let (left, atSync, die) = doom else { return true }
        if left > 0 || atSync && !isSync {
            doom = (max(left - 1, 0), atSync, die)
            return true
        }
        doom = nil
        die()
        return !isKilled
    }

    /// Ends the process as `kill -9` does: no code of it runs any more, jobs that were not done
    /// never will be, and the system closes its ports and connections.
    package func kill() {
        simulation.checkThread()
        isKilled = true
        doom = nil
        for worker in workers { worker.dropJobs() }
        for loop in loops { loop.kill() }
    }
}
