import SyncIO
import SyncRoom
import SyncSim
import SyncStore
import Testing

@testable import SyncServer

/// Workers that all owners of jobs share.
@Suite struct JobsTests {
    @Test("a turn that nobody uses goes to the next one")
    func unusedTurns() throws {
        let simulation = Simulation(seed: 1)
        let platform = simulation.makePlatform(named: "server")
        let jobs = try Jobs(on: platform)
        let done = Box<[Int]>([])
        let holders = (0..<7).map { _ in Holder(in: Pots()) }
        for number in 0..<100 {
            let owner = JobOwner(holders[number % 7])
            if number % 2 == 0 {
                jobs.ask(.work, for: owner) { _ in done.value.append(number) }
            } else {
                jobs.add(number % 3 == 0 ? .opening : .work, for: owner) {
                    done.value.append(number)
                }
            }
        }
        #expect(simulation.run(limitMilliseconds: 10_000) { done.value.count == 100 })
        jobs.finish()
        simulation.end()
    }

    @Test("if a thread can't start, all started threads and the store end", arguments: 0...3)
    func failingThreads(started: Int) throws {
        let platform = MeanPlatform(workers: started)
        let store = WorkerStore(TestStorage(), worker: platform.startStore())
        #expect(throws: IOError.self) {
            _ = try Server.start(
                on: platform, store: store, configuration: ServerConfiguration(), log: TestLog(),
                ready: { _ in })
        }
        #expect(platform.running == 0)
    }
}

/// Starts some workers, and no loop.
private final class MeanPlatform: Platform, @unchecked Sendable {
    // Sendable, as the test has one thread.
    private var left: Int
    fileprivate(set) var running = 0

    init(workers: Int) {
        left = workers
    }

    func startLoop(
        named name: String, _ body: @escaping @Sendable (any EventLoop) -> Void
    ) throws(IOError) -> any Joinable {
        throw .system("no more threads")
    }

    func startWorker(named name: String) throws(IOError) -> any Worker {
        guard left > 0 else { throw .system("no more threads") }
        left -= 1
        return startStore()
    }

    func startStore() -> any Worker {
        running += 1
        return CountedWorker(platform: self)
    }

    private final class CountedWorker: Worker, @unchecked Sendable {
        private let platform: MeanPlatform

        init(platform: MeanPlatform) {
            self.platform = platform
        }

        func submit(_ job: @escaping @Sendable () -> Void) {
            job()
        }

        func finish() {
            platform.running -= 1
        }
    }
}
