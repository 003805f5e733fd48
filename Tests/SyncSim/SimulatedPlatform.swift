package import SyncIO

/// A process on a machine of its own. Its loops and workers are simulated, all on one thread.
package final class SimulatedPlatform: Platform, @unchecked Sendable {
    // Sendable, like everything in a simulation: a check ensures that only one thread uses it.

    /// The machine's name, for partitions.
    package let host: String
    /// How far this machine's wall clock is ahead of the simulation's.
    package var wallClockLeadMilliseconds: UInt64 = 0
    /// The address from which it connects; `nil` for that of the port it connects to.
    package var address: String?
    unowned let simulation: Simulation
    private var loops: [SimulatedLoop] = []
    private var workers: [SimulatedWorker] = []
    package private(set) var isKilled = false
    /// The planned death, and the number of acts before it.
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

    /// Whether all its loops have ended, by themselves or killed.
    package var hasEnded: Bool { loops.allSatisfy(\.end.hasCome) }

    /// Blocks its loops for a while, like a slow callback.
    package func stall(forMilliseconds duration: UInt64) {
        for loop in loops { loop.stall(forMicroseconds: simulation.microseconds(duration)) }
    }

    /// Blocks one of its loops for a while.
    package func stall(loop index: Int, forMilliseconds duration: UInt64) {
        loops[index].stall(forMicroseconds: simulation.microseconds(duration))
    }

    // MARK: Death

    /// Plans the death of the process in the middle of its work: after a number of its acts, which
    /// are writes to connections and to disk, right before the next one.
    ///
    /// - Parameters:
    ///   - atSync: waits further, until the next act is a sync after its write.
    ///   - die: kills the process, and does everything else that belongs to that.
    package func doom(
        afterActs count: Int, atSync: Bool = false, _ die: @escaping () -> Void
    ) {
        doom = (count, atSync, die)
    }

    /// Cancels the planned death.
    package func pardon() {
        doom = nil
    }

    /// Called before anything that others can notice.
    ///
    /// - Parameter isSync: whether it syncs what was written just before.
    /// - Returns: whether it happens; `false` if the process is dead.
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

    /// Ends the process like `kill -9`: its code no longer runs, pending jobs are never done, and
    /// the system closes its ports and connections.
    package func kill() {
        simulation.checkThread()
        isKilled = true
        doom = nil
        for worker in workers { worker.dropJobs() }
        for loop in loops { loop.kill() }
    }

    /// Lets go of what the killed process had open.
    func release() {
        for loop in loops { loop.release() }
    }
}
