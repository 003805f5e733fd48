/// Runs tasks on the thread that calls ``run()``, one job after the other: so the same input makes
/// the same run.
final class TaskTurns: TaskExecutor, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.
    private var jobs: [UnownedJob] = []

    var isIdle: Bool { jobs.isEmpty }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job))
    }

    /// Runs jobs until none is left.
    func run() {
        while !jobs.isEmpty {
            let due = jobs
            jobs = []
            for job in due { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
