import SyncIO
import SyncServer
import SyncStore
import Testing

@Suite("A server that can't be started")
struct StartTests {
    /// A platform with a limited number of threads.
    private final class ShortPlatform: Platform, @unchecked Sendable {
        // Sendable, because everything runs on the test's thread.
        private let workerCount: Int
        private(set) var workers: [CountedWorker] = []

        init(workers count: Int) {
            workerCount = count
        }

        func startLoop(
            named name: String, _ body: @escaping @Sendable (any EventLoop) -> Void
        ) throws(IOError) -> any Joinable {
            throw IOError.system("no thread for \(name)")
        }

        func startWorker(named name: String) throws(IOError) -> any Worker {
            guard workers.count < workerCount else {
                throw IOError.system("no thread for \(name)")
            }
            workers.append(CountedWorker())
            return workers[workers.count - 1]
        }
    }

    private final class CountedWorker: Worker, @unchecked Sendable {
        // Sendable, because everything runs on the test's thread.
        private(set) var finishes = 0

        func submit(_ job: @escaping @Sendable () -> Void) { job() }

        func finish() { finishes += 1 }
    }

    @Test("ends all that it has started, whatever it lacks", arguments: 0...2)
    func lackOfThreads(workers: Int) {
        let platform = ShortPlatform(workers: workers)
        let worker = CountedWorker()
        let store = WorkerStore(MemoryStorage(), worker: worker)
        #expect(throws: IOError.self) {
            try Server.start(
                on: platform, store: store, configuration: ServerConfiguration(), log: TestLog(),
                ready: { _ in })
        }
        #expect(platform.workers.count == workers)
        #expect(platform.workers.allSatisfy { $0.finishes == 1 })
        #expect(worker.finishes == 1)
    }
}
