import SyncIO
import SyncLoop
package import SyncServer
import SyncStore

/// A server on this machine that keeps rooms in memory, on a port of the system's choice.
package final class LocalServer: Sendable {
    package let address: String
    private let server: Server

    private init(_ server: Server, at address: SocketAddress) {
        self.server = server
        self.address = address.description
    }

    deinit {
        server.drain()
        server.join()
    }

    package static func start(
        _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> LocalServer {
        var configuration = ServerConfiguration()
        configuration.address.port = 0
        configure(&configuration)
        let chosen = configuration
        // The result goes through a lock, because the thread sanitizer does not understand
        // continuations.
        let outcome = Monitor<Result<LocalServer, any Error>?>(nil)
        await withCheckedContinuation { caller in
            launch(chosen) { result in
                outcome.withLock { $0 = result }
                caller.resume()
            }
        }
        guard let result = outcome.withLock({ $0.take() }) else { throw CancellationError() }
        return try result.get()
    }

    private static func launch(
        _ configuration: ServerConfiguration,
        _ completion: @escaping @Sendable (Result<LocalServer, any Error>) -> Void
    ) {
        let holder = Holder()
        do {
            let platform = LoopPlatform()
            let store = WorkerStore(
                MemoryStorage(), worker: try platform.startWorker(named: "store"))
            _ = try Server.start(
                on: platform, store: store, configuration: configuration, log: Silence(),
                prepare: { server, _ in holder.server = server },
                ready: { result in
                    guard let server = holder.server else { return }
                    completion(
                        result.map { LocalServer(server, at: $0) }.mapError { $0 as any Error })
                })
        } catch {
            completion(.failure(error))
        }
    }

    private final class Holder: @unchecked Sendable {
        // Sendable: `prepare` and `ready` are called on one loop, one after the other.
        var server: Server?
    }

    private struct Silence: ServerLog {
        func log(
            _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
        ) {}
    }
}
