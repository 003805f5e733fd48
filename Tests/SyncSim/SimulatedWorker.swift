import SyncIO

/// A worker whose jobs each take a while of simulated time, and are done at the end of it.
final class SimulatedWorker: Worker, @unchecked Sendable {
    // Sendable, like all in a simulation, because it is checked that only one thread uses it.
    private unowned let simulation: Simulation
    private var jobs: [@Sendable () -> Void] = []
    private var isBusy = false
    private var isFinished = false

    init(simulation: Simulation) {
        self.simulation = simulation
    }

    func submit(_ job: @escaping @Sendable () -> Void) {
        simulation.checkThread()
        guard !isFinished else { return }
        jobs.append(job)
        if !isBusy { beginNext() }
    }

    /// Does what is left at once: whoever waits for a worker sees no time pass.
    func finish() {
        simulation.checkThread()
        isFinished = true
        while !jobs.isEmpty { jobs.removeFirst()() }
    }

    func dropJobs() {
        isFinished = true
        jobs = []
    }

    private func beginNext() {
        guard !jobs.isEmpty else { return }
        isBusy = true
        let duration = simulation.random(in: simulation.conditions.jobMicroseconds)
        simulation.after(microseconds: duration) { [self] in
            isBusy = false
            guard !jobs.isEmpty else { return }
            jobs.removeFirst()()
            if !isBusy { beginNext() }
        }
    }
}
