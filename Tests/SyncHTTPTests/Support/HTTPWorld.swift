import SyncBytes
import SyncHTTP
import SyncIO
import SyncServer
import SyncSim
import SyncStore
import SyncWebSocket
import Testing

/// A server with a gateway for HTTP and one for metrics, and clients of them, simulated from one
/// seed.
final class HTTPWorld {
    enum Port: Int, CaseIterable {
        case rooms, metrics
    }

    let simulation: Simulation
    private(set) var server: Server?
    private var addresses: [SocketAddress?] = []
    /// Where it listens to clients that speak in frames.
    private var frameAddress: SocketAddress?
    let log = RecordedLog()
    /// How often the process's figures were asked for.
    let processReadings = Box(0)
    private var machines = 0

    init(
        seed: UInt64 = 1, options: HTTPOptions = HTTPOptions(), audit: (any AuditTrail)? = nil,
        _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        simulation = Simulation(seed: seed)
        var configuration = ServerConfiguration()
        configuration.turnSteps = [128, 2048, 32_768][Int(seed % 3)]
        configure(&configuration)
        let platform = simulation.makePlatform(named: "server")
        let outcome = Box<Result<SocketAddress, IOError>?>(nil)
        var metrics = HTTPOptions()
        metrics.service = .metrics { [processReadings] in
            processReadings.value += 1
            var figures = ProcessFigures()
            figures.openFiles = 42
            return figures
        }
        metrics.isForThisMachine = options.isForThisMachine
        let server = try Server.start(
            on: platform,
            store: WorkerStore.memory(worker: try platform.startWorker(named: "store")),
            configuration: configuration, log: log, audit: audit,
            gateways: [
                HTTPGateway(at: SocketAddress(host: "127.0.0.1", port: 7421), options: options),
                HTTPGateway(at: SocketAddress(host: "127.0.0.1", port: 7422), options: metrics),
            ],
            ready: { outcome.value = $0 })
        self.server = server
        simulation.run(limitMilliseconds: 1000) { outcome.value != nil }
        frameAddress = try #require(outcome.value).get()
        addresses = server.addressesOfGateways
    }

    deinit {
        simulation.end()
        server?.join()
    }

    /// Connects a client to a gateway.
    ///
    /// - Parameter source: its address; `nil` is a machine that the server trusts.
    func connect(
        to port: Port = .rooms, from source: String? = nil,
        by security: (any ClientSecurity)? = nil
    ) throws -> HTTPClient {
        let end = HTTPEnd()
        try connect(to: addresses[port.rawValue], from: source, by: security) { result in
            end.stream = try? result.get()
            end.stream?.open(end)
        }
        #expect(run { end.stream != nil })
        return HTTPClient(end, in: self)
    }

    /// Connects a WebSocket whose messages are lines.
    func connectLines(
        _ target: String, _ completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) throws {
        try connect(
            to: addresses[Port.rooms.rawValue],
            by: WebSocketClient(target: target, host: "server", .lines), completion)
    }

    /// Connects a client that speaks in frames.
    func connectFrames(
        _ completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) throws {
        try connect(to: frameAddress, completion)
    }

    private func connect(
        to address: SocketAddress?, from source: String? = nil,
        by security: (any ClientSecurity)? = nil,
        _ completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) throws {
        machines += 1
        let platform = simulation.makePlatform(named: "client \(machines)")
        platform.address = source
        let (completion, address) = (Box(completion), try #require(address))
        try platform.startLoop(named: "client") { loop in
            loop.connect(to: address, by: security, completion: completion.value)
        }
    }

    var nowMilliseconds: UInt64 { simulation.nowMicroseconds / 1000 }

    /// Lets time pass until a condition is true.
    func run(limitMilliseconds: UInt64 = 60_000, until condition: () -> Bool) -> Bool {
        simulation.run(limitMilliseconds: limitMilliseconds, until: condition)
    }
}

/// Shares a value with a closure that must be `Sendable`, where everything runs on one thread.
final class Box<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A log that keeps its lines.
struct RecordedLog: ServerLog {
    private let all = Box<[(message: String, details: [String: String])]>([])

    func log(
        _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
    ) {
        all.value.append((message, Dictionary(uniqueKeysWithValues: details.map { $0 })))
    }

    /// The details of the lines with a message.
    func lines(_ message: String) -> [[String: String]] {
        all.value.filter { $0.message == message }.map(\.details)
    }
}

struct QuietLog: ServerLog {
    func log(
        _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
    ) {}
}
