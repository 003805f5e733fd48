import SyncIO
import SyncLoop
import SyncServer
import SyncStore

/// A server on this machine that keeps rooms in memory, on a port of the system's choice.
final class LocalServer: Sendable {
    let address: String
    private let server: Server

    private init(_ server: Server, at address: SocketAddress) {
        self.server = server
        self.address = address.description
    }

    deinit {
        server.drain()
    }

    static func start() async throws -> LocalServer {
        var configuration = ServerConfiguration()
        configuration.address.port = 0
        let chosen = configuration
        return try await withCheckedThrowingContinuation { caller in
            let holder = Holder()
            do {
                let platform = LoopPlatform()
                let store = WorkerStore(
                    MemoryStorage(), worker: try platform.startWorker(named: "store"))
                _ = try Server.start(
                    on: platform, store: store, configuration: chosen, log: Silence(),
                    prepare: { server, _ in holder.server = server },
                    ready: { result in
                        do {
                            let address = try result.get()
                            guard let server = holder.server else { return }
                            caller.resume(returning: LocalServer(server, at: address))
                        } catch {
                            caller.resume(throwing: error)
                        }
                    })
            } catch {
                caller.resume(throwing: error)
            }
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
