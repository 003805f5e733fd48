import SyncIO
import SyncSim
import Testing

@testable import collsync

/// What is done every second is done once at a time.
@Suite struct RecurrenceTests {
    /// A worker that does jobs when the test says so.
    private final class HeldWorker: Worker, @unchecked Sendable {
        // Sendable, as a simulation has one thread.
        private(set) var jobs: [@Sendable () -> Void] = []

        func submit(_ job: @escaping @Sendable () -> Void) { jobs.append(job) }

        func finish() {}

        func doAll() {
            let jobs = jobs
            self.jobs = []
            for job in jobs { job() }
        }
    }

    @Test func nothingPilesUpBehindADiskThatDoesNotAnswer() throws {
        let simulation = Simulation(seed: 1)
        defer { simulation.end() }
        let worker = HeldWorker()
        let count = Monitor(0)
        let recurrence = Recurrence(on: worker) { count.withLock { $0 += 1 } }
        try simulation.makePlatform(named: "server").startLoop(named: "loop") {
            recurrence.begin(on: $0)
        }
        simulation.run(forMilliseconds: 3_600_000)
        #expect(worker.jobs.count == 1 && count.withLock { $0 } == 0)
        worker.doAll()
        #expect(worker.jobs.isEmpty && count.withLock { $0 } == 1)
        for second in 2...5 {
            simulation.run(forMilliseconds: 1000)
            worker.doAll()
            #expect(count.withLock { $0 } == second)
        }
    }
}
