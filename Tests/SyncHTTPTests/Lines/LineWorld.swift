import SyncBytes
import SyncClient
import SyncIO
import SyncModel
import SyncServer
import SyncSim
import SyncStore
import SyncWire
import Testing

@testable import SyncHTTP

/// A server with a door for lines, and clients that speak in lines or in frames, simulated from one
/// seed.
final class LineWorld {
    let simulation: Simulation
    private let server: Server
    private let address: SocketAddress
    private let doorAddress: SocketAddress
    private let gateway: LineGateway
    private var machines = 0

    init(
        seed: UInt64, _ configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        simulation = Simulation(seed: seed)
        var configuration = ServerConfiguration()
        configuration.address.port = 7420
        configuration.turnSteps = [128, 2048, 32_768][Int(seed % 3)]
        configuration.threads = 1 + Int(seed % 2)
        configure(&configuration)
        gateway = LineGateway(host: configuration.address.host)
        let platform = simulation.makePlatform(named: "server")
        let store = WorkerStore(MemoryStorage(), worker: try platform.startWorker(named: "store"))
        let outcome = Box<Result<SocketAddress, IOError>?>(nil)
        server = try Server.start(
            on: platform, store: store, configuration: configuration, log: NoLog(),
            gateways: [gateway], ready: { outcome.value = $0 })
        simulation.run(limitMilliseconds: 1000) { outcome.value != nil }
        address = try #require(try outcome.value?.get())
        doorAddress = try #require(server.addressesOfGateways.first ?? nil)
    }

    deinit {
        simulation.end()
        server.join()
    }

    /// Connects a client that speaks in lines, and waits until it is shown the room.
    ///
    /// - Parameter snapshot: what the client has of the room already.
    func join(
        _ name: String, having snapshot: Snapshot? = nil,
        _ set: (inout LineOptions) -> Void = { _ in }
    ) throws -> LineClient {
        var options = LineOptions(room: try #require(RoomName("room")))
        options.identity = ClientIdentity(client: try Identifier(name), secret: [1])
        set(&options)
        gateway.options.value.append(options)
        let client = LineClient(having: snapshot)
        try connect(client, to: doorAddress)
        #expect(run { client.welcome != nil })
        if !options.isViewOnly { #expect(run { client.snapshot != nil }) }
        return client
    }

    /// Connects a client that speaks in frames, and waits until it has the room.
    func joinByFrames(_ name: String) throws -> FrameClient {
        let client = FrameClient(try Identifier(name))
        try connect(client, to: address)
        #expect(run { client.snapshot != nil })
        return client
    }

    private func connect(_ client: any TestClient, to address: SocketAddress) throws {
        machines += 1
        let platform = simulation.makePlatform(named: "client \(machines)")
        let held = Box(client)
        try platform.startLoop(named: "client") { loop in
            held.value.connect(to: address, on: loop)
        }
    }

    /// Lets time pass until a condition is true.
    func run(until condition: () -> Bool) -> Bool {
        simulation.run(limitMilliseconds: 60_000, until: condition)
    }

    func run(forMilliseconds duration: UInt64) {
        simulation.run(forMilliseconds: duration)
    }
}

protocol TestClient: AnyObject {
    func connect(to address: SocketAddress, on loop: any EventLoop)
}

private struct NoLog: ServerLog {
    func log(
        _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
    ) {}
}
