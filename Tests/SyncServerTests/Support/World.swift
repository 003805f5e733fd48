import SyncBytes
import SyncIO
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncStore
import SyncWire
import Testing

/// A server and its clients, simulated from one seed.
final class World {
    let simulation: Simulation
    let storage = TestStorage()
    let log = TestLog()
    var configuration = ServerConfiguration()
    private(set) var address: SocketAddress?
    private var servers: [Server] = []
    private(set) var platform: SimulatedPlatform?
    private var machines = 0
    /// How far the wall clocks of servers that start are ahead.
    var wallClockLeadMilliseconds: UInt64 = 0
    /// The last identity of each room. A client that joins from a revision sends it back.
    var identities: [String: RoomIdentity] = [:]

    private let audit: (any AuditTrail)?

    init(
        seed: UInt64 = 1, audit: (any AuditTrail)? = nil,
        _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        simulation = Simulation(seed: seed)
        self.audit = audit
        configuration.address.port = 7420
        // Some seeds have short turns, so that short tests also reach work that waits for the next
        // turn.
        configuration.turnSteps = [128, 2048, 32_768][Int(seed % 3)]
        configure(&configuration)
        try start()
    }

    deinit {
        simulation.end()
        for server in servers { server.join() }
    }

    var server: Server? { servers.last }

    /// Starts a server on what is stored.
    func start() throws {
        machines += 1
        let platform = simulation.makePlatform(named: "server \(machines)")
        platform.wallClockLeadMilliseconds = wallClockLeadMilliseconds
        let store = WorkerStore(
            storage, worker: try platform.startWorker(named: "store"), readsFrom: storage,
            on: try platform.startWorker(named: "store reader"), clock: clock)
        let outcome = Box<Result<SocketAddress, IOError>?>(nil)
        let server = try Server.start(
            on: platform, store: store, configuration: configuration, log: log, audit: audit,
            ready: { outcome.value = $0 })
        servers.append(server)
        self.platform = platform
        simulation.run(limitMilliseconds: 1000) { outcome.value != nil }
        address = try outcome.value?.get()
    }

    /// Measures the store's commits. It retains nothing of this world.
    private var clock: @Sendable () -> UInt64 {
        let simulation = Weak(simulation)
        return { simulation.value?.nowMicroseconds ?? 0 }
    }

    /// Kills the server as `kill -9` does, and starts another.
    func crash() throws {
        platform?.kill()
        try start()
    }

    /// Drains the server.
    func drain() {
        server?.drain()
        server?.join()
    }

    /// Connects a client on a machine of its own.
    func connect(_ name: String = "c", from source: String? = nil) throws -> RawClient {
        machines += 1
        let client = RawClient(name: name)
        let platform = simulation.makePlatform(named: "client \(machines)")
        platform.address = source
        let address = try #require(address)
        let box = Box(client)
        try platform.startLoop(named: "client") { loop in box.value.connect(to: address, on: loop) }
        simulation.run(limitMilliseconds: 60_000) { client.isConnected || client.isClosed }
        return client
    }

    /// Connects a client and exchanges hello and welcome.
    func greet(
        _ name: String = "c", from source: String? = nil, features: Features = .all,
        token: String = ""
    ) throws -> RawClient {
        let client = try connect(name, from: source)
        client.send(.hello(Hello(features: features, token: token, agent: "test")))
        #expect(run { client.welcome != nil }, "no welcome")
        return client
    }

    /// Connects a client that joins a room and has received its content.
    func join(
        _ name: String, _ room: String = "room", from: Revision? = nil, holding: Snapshot? = nil,
        everyRevision: Bool = false, presence: Bool = false, secret: [UInt8] = [1]
    ) throws -> (client: RawClient, room: RoomHandle) {
        let client = try greet(name)
        let handle = try join(
            client, room, from: from, holding: holding, everyRevision: everyRevision,
            presence: presence, secret: secret)
        return (client, handle)
    }

    func join(
        _ client: RawClient, _ room: String = "room", from: Revision? = nil,
        holding: Snapshot? = nil, everyRevision: Bool = false, presence: Bool = false,
        secret: [UInt8] = [1], origin: Origin? = nil, counter: UInt64 = 0
    ) throws -> RoomHandle {
        let known = (holding?.revision ?? from).flatMap { identities[room]?.origin(of: $0) }
        let request = client.join(
            room, from: from, holding: holding, everyRevision: everyRevision,
            presence: presence, secret: secret, origin: origin ?? known, counter: counter)
        #expect(run { client.joined[request] != nil || client.errors[.request(request)] != nil })
        let joined = try #require(client.joined[request])
        identities[room] = joined.identity
        return joined.handle
    }

    /// Lets time pass until a condition is true.
    func run(limitMilliseconds: UInt64 = 60_000, until condition: () -> Bool) -> Bool {
        simulation.run(limitMilliseconds: limitMilliseconds, until: condition)
    }

    func run(forMilliseconds duration: UInt64) {
        simulation.run(forMilliseconds: duration)
    }
}

/// Shares a value with a closure that must be `Sendable`, where everything runs on one thread.
final class Box<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// Refers to an object from a closure that must be `Sendable`, where everything runs on one thread.
private final class Weak<Value: AnyObject>: @unchecked Sendable {
    private(set) weak var value: Value?

    init(_ value: Value) {
        self.value = value
    }
}

/// A log of the server that tests can read.
final class TestLog: ServerLog, @unchecked Sendable {
    private(set) var lines: [String] = []

    func count(of text: String) -> Int { lines.count { $0.contains(text) } }

    func log(
        _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
    ) {
        lines.append("\(level): \(message) \(details)")
    }
}
