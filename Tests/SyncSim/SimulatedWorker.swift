import SyncIO

/// A worker whose jobs each take some simulated time, and run at the end of it.
final class SimulatedWorker: Worker, @unchecked Sendable {
    // Sendable, like everything in a simulation: a check ensures that only one thread uses it.
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

    /// Runs the remaining jobs at once: for a caller that waits for a worker, no time passes.
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
