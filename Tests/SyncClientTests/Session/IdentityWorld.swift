import SyncClient
import SyncIO
import SyncModel
import SyncServer
import SyncSim
import SyncStore
import SyncWire
import Testing

/// A server that can be killed and restarted, on a store that can be restored from a copy, and
/// machines for clients of this library.
final class IdentityWorld {
    let simulation: Simulation
    let storage = RestorableStorage()
    private var servers: [Server] = []
    private var platform: SimulatedPlatform?
    private(set) var address = SocketAddress(host: "127.0.0.1", port: 7420)
    private var configuration = ServerConfiguration()

    init(seed: UInt64, configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
        simulation = Simulation(seed: seed)
        configure(&configuration)
        try start()
    }

    deinit {
        simulation.end()
        for server in servers { server.join() }
    }

    private final class Started: @unchecked Sendable {
        // Sendable: a simulation has one thread.
        var address: SocketAddress?
    }

    private struct Silence: ServerLog {
        func log(
            _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
        ) {}
    }

    private func start() throws {
        let platform = simulation.makePlatform(named: "server")
        let store = WorkerStore(storage, worker: try platform.startWorker(named: "store"))
        var configuration = configuration
        configuration.address = address
        let started = Started()
        servers.append(
            try Server.start(
                on: platform, store: store, configuration: configuration, log: Silence()
            ) { started.address = try? $0.get() })
        simulation.run { started.address != nil }
        self.platform = platform
        address = try #require(started.address)
    }

    /// Kills the server as `kill -9` does, and starts another.
    func restart(_ meanwhile: () -> Void = {}) throws {
        platform?.kill()
        meanwhile()
        try start()
    }

    /// A client that has connected, or could not.
    func open(
        _ name: String, change: (inout SessionOptions) -> Void = { _ in }
    ) throws -> SessionFixture {
        let client = try SessionFixture(simulation, name: name, address: address, change: change)
        client.open()
        return client
    }

    /// A client that has joined the room and has its content.
    func join(_ name: String) throws -> SessionFixture {
        let client = try open(name)
        client.join()
        simulation.run { client.membership?.replica.revision != nil }
        return client
    }

    /// Has a client insert items, and waits until they are committed.
    func insert(_ names: [String], by client: SessionFixture) throws {
        let section = Identifier("main")
        for name in names {
            client.submit([.insert(Item(id: try Identifier(name)), to: Placement(section: section))]
            )
        }
        simulation.run { client.membership?.isSettled == true }
    }

    /// Cuts a client off for a while.
    func cutOff(_ client: SessionFixture, while body: () throws -> Void) rethrows {
        simulation.network.partition(client.host, from: "server")
        for connection in simulation.network.connections where connection.isOf(client.host) {
            connection.cut()
        }
        try body()
        simulation.network.heal(client.host, with: "server")
    }

    /// Waits until all clients have the same revision and all answers.
    func settle(_ clients: [SessionFixture]) {
        simulation.run {
            clients.allSatisfy { $0.membership?.isSettled == true }
                && Set(clients.map { $0.membership?.revision }).count == 1
        }
    }

    /// Has another client delete the room.
    func deleteRoom() throws {
        let client = try SessionFixture(simulation, name: "admin", address: address)
        client.open()
        var isDone = false
        client.session?.ask(.delete(try #require(RoomName("room")))) { reply in
            if case .done = reply { isDone = true }
        }
        simulation.run { isDone }
        client.session?.close()
    }
}

extension Membership {
    /// Whether it has the room, and nothing is in flight.
    var isSettled: Bool { revision != nil && isAllAnswered && !isOutdated }
}

extension SessionFixture {
    /// The ids of the items in the replica, in order.
    var items: [String] {
        membership?.replica.snapshot?.sections.flatMap(\.items).map(\.id.text) ?? []
    }
}
