import SyncBytes
import SyncIO
import SyncSim
import Testing

/// A server and a client, each on a machine of its own, with failures between them.
private final class Scene {
    /// The streams of both machines. Sendable, because everything runs on one thread.
    final class Ends: @unchecked Sendable {
        var servers: [Recorder] = []
        var client: Recorder?
        var clientLoop: (any EventLoop)?
        var failure: IOError?
    }

    static let address = SocketAddress(host: "10.0.0.1", port: 7420)
    let simulation: Simulation
    let serverPlatform: SimulatedPlatform
    let clientPlatform: SimulatedPlatform
    private let ends = Ends()

    init(seed: UInt64 = 1) throws {
        simulation = Simulation(seed: seed)
        serverPlatform = simulation.makePlatform(named: "server")
        clientPlatform = simulation.makePlatform(named: "client")
        try serverPlatform.startLoop(named: "server") { [ends] loop in
            _ = try? loop.listen(on: Scene.address) { stream in
                ends.servers.append(Recorder(opening: stream))
            }
        }
        try clientPlatform.startLoop(named: "client") { [ends] loop in ends.clientLoop = loop }
        simulation.runUntilIdle()
    }

    deinit {
        simulation.end()
    }

    var servers: [Recorder] { ends.servers }
    var client: Recorder? { ends.client }
    var clientLoop: (any EventLoop)? { ends.clientLoop }
    var failure: IOError? { ends.failure }

    func connect() {
        ends.client = nil
        clientLoop?.connect(to: Scene.address) { [ends] result in
            switch result {
            case .success(let stream): ends.client = Recorder(opening: stream)
            case .failure(let error): ends.failure = error
            }
        }
    }

    /// Connects, and runs the simulation until both ends are open.
    func makeConnection() throws -> (client: Recorder, server: Recorder, SimulatedConnection) {
        connect()
        simulation.runUntilIdle()
        return try (
            #require(client), #require(servers.last), #require(simulation.network.connections.last)
        )
    }
}

@Suite("Simulations")
struct SimulationTests {
    /// The events of a run with one seed: who received how much when.
    private func trace(seed: UInt64) throws -> [String] {
        let scene = try Scene(seed: seed)
        let (client, server, _) = try scene.makeConnection()
        let simulation = scene.simulation
        var trace: [String] = []
        server.onReceive = { server in
            trace.append("\(simulation.nowMicroseconds) server \(server.received.count)")
            if !server.stream.isWriting { server.write([1, 2, 3]) }
        }
        client.onReceive = { client in
            trace.append("\(simulation.nowMicroseconds) client \(client.received.count)")
        }
        client.write([UInt8](repeating: 1, count: 300_000))
        simulation.runUntilIdle()
        return trace
    }

    @Test func oneSeedMakesOneRun() throws {
        #expect(try trace(seed: 5) == trace(seed: 5))
        #expect(try trace(seed: 5) != trace(seed: 6))
    }

    @Test func timePassesOnlyInTheSimulation() throws {
        let scene = try Scene()
        let loop = try #require(scene.clientLoop)
        var beats = 0
        func beat() {
            beats += 1
            loop.schedule(afterMilliseconds: 10_000, beat)
        }
        beat()
        let begun = loop.nowMilliseconds
        scene.simulation.run(forMilliseconds: 24 * 3_600_000)
        #expect(beats == 24 * 360 + 1)
        #expect(loop.nowMilliseconds == begun + 24 * 3_600_000)
        // Timers alone neither keep a simulation busy nor end it.
        #expect(scene.simulation.runUntilIdle())
        #expect(!scene.simulation.run(limitMilliseconds: 1000) { false })
    }

    @Test func aMessageComesInPiecesAndPiecesComeTogether() throws {
        let scene = try Scene()
        let (client, server, _) = try scene.makeConnection()
        scene.simulation.conditions.pieceBytes = 1...50
        var reads = 0
        server.onReceive = { _ in reads += 1 }
        client.write([UInt8](repeating: 1, count: 10_000))
        scene.simulation.runUntilIdle()
        #expect(server.received.count == 10_000)
        #expect((10...1000).contains(reads))

        // Bytes that arrive while nobody reads are read at once.
        server.stream.isReadingPaused = true
        client.write([UInt8](repeating: 1, count: 10_000))
        scene.simulation.runUntilIdle()
        reads = 0
        server.stream.isReadingPaused = false
        scene.simulation.runUntilIdle()
        #expect(reads == 1)
    }

    @Test func aConnectionBuffersOnlySoMuchForASlowReader() throws {
        let scene = try Scene()
        let (client, server, _) = try scene.makeConnection()
        server.stream.isReadingPaused = true
        client.write([UInt8](repeating: 1, count: 65_536))
        scene.simulation.runUntilIdle()
        #expect(client.drains == 1)
        client.write([1])
        scene.simulation.run(forMilliseconds: 60_000)
        #expect(client.drains == 1 && client.stream.isWriting)
        server.stream.isReadingPaused = false
        scene.simulation.runUntilIdle()
        #expect(client.drains == 2 && server.received.count == 65_537)
    }

    @Test func aCutIsHeardByBothSides() throws {
        let scene = try Scene()
        let (client, server, connection) = try scene.makeConnection()
        client.write([1])
        connection.cut()
        scene.simulation.runUntilIdle()
        for side in [client, server] {
            guard side.closes.count == 1, case .connectionLost = side.closes[0] else {
                Issue.record("\(side.closes)")
                return
            }
        }
        #expect(server.received.isEmpty)
        #expect(scene.simulation.network.connections.isEmpty)
    }

    @Test func ofAHalfOpenConnectionOneSideHearsNothing() throws {
        let scene = try Scene()
        let (client, server, connection) = try scene.makeConnection()
        connection.cut(heardBy: [.client])
        scene.simulation.runUntilIdle()
        #expect(client.closes.count == 1)
        server.write([1])
        scene.simulation.run(forMilliseconds: 3_600_000)
        #expect(server.closes.isEmpty)
        // The system accepts as much as its buffer has room for, and no more.
        #expect(server.drains == 1)
        server.write([UInt8](repeating: 1, count: 65_536))
        scene.simulation.run(forMilliseconds: 3_600_000)
        #expect(server.drains == 1)
        server.close()
        scene.simulation.runUntilIdle()
        #expect(server.closes == [nil] && client.closes.count == 1)
    }

    @Test(arguments: 1...20)
    func aPartitionBuffersWhatAHealingLetsThrough(_ seed: UInt64) throws {
        let scene = try Scene(seed: seed)
        let (client, server, _) = try scene.makeConnection()
        let expected = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        client.onDrain = { $0.close() }
        client.write(expected)
        scene.simulation.run(forMilliseconds: seed % 4)
        scene.simulation.network.partition("client", from: "server")
        // Bytes that have arrived may still be read.
        scene.simulation.run(forMilliseconds: 1)
        let (received, closes) = (server.received.count, server.closes.count)
        scene.simulation.run(forMilliseconds: 60_000)
        #expect(server.received.count == received && server.closes.count == closes)
        scene.simulation.network.heal()
        scene.simulation.runUntilIdle()
        #expect(server.received == expected && server.closes == [nil])
    }

    @Test func acrossAPartitionNobodyAnswers() throws {
        let scene = try Scene()
        scene.simulation.network.partition("server", from: "client")
        scene.connect()
        scene.simulation.run(forMilliseconds: 5000)
        #expect(scene.failure == nil && scene.client == nil)
        scene.simulation.run(forMilliseconds: 10_000)
        #expect(scene.failure == .unreachable("10.0.0.1:7420: no answer"))
        scene.simulation.network.heal()
        _ = try scene.makeConnection()
    }

    @Test func aListenerThatHangsMakesConnectionsThatNobodyAnswers() throws {
        let scene = try Scene()
        let listener = try #require(scene.simulation.network.listener(at: Scene.address))
        listener.isAccepting = false
        scene.connect()
        scene.simulation.runUntilIdle()
        let client = try #require(scene.client)
        client.write([1])
        scene.simulation.run(forMilliseconds: 60_000)
        #expect(scene.servers.isEmpty && client.closes.isEmpty)
        listener.isAccepting = true
        scene.simulation.runUntilIdle()
        #expect(scene.servers.map(\.received) == [[1]])
    }

    @Test func aKilledProcessIsSilentAndItsConnectionsAreClosed() throws {
        let scene = try Scene()
        let (client, server, _) = try scene.makeConnection()
        nonisolated(unsafe) var jobsDone = 0
        let worker = try scene.serverPlatform.startWorker(named: "worker")
        worker.submit { jobsDone += 1 }
        scene.serverPlatform.kill()
        scene.simulation.runUntilIdle()
        #expect(server.closes.isEmpty && jobsDone == 0)
        #expect(client.closes == [nil])
        scene.connect()
        scene.simulation.runUntilIdle()
        #expect(scene.failure == .unreachable("10.0.0.1:7420: connection refused"))
        #expect(scene.simulation.network.connections.isEmpty)
    }

    @Test func whoeverLeavesWithoutReadingBreaksTheConnectionOff() throws {
        let scene = try Scene()
        let (client, server, _) = try scene.makeConnection()
        server.stream.isReadingPaused = true
        client.write([1])
        scene.simulation.runUntilIdle()
        server.close()
        scene.simulation.runUntilIdle()
        guard client.closes.count == 1, case .connectionLost = client.closes[0] else {
            Issue.record("\(client.closes)")
            return
        }
    }

    @Test func jobsTakeTimeUnlessTheyAreWaitedFor() throws {
        let simulation = Simulation(seed: 3)
        defer { simulation.end() }
        simulation.conditions.jobMicroseconds = 1_000_000...1_000_000
        let worker = try simulation.makePlatform(named: "host").startWorker(named: "worker")
        nonisolated(unsafe) var done: [Int] = []
        for job in 1...4 { worker.submit { done.append(job) } }
        simulation.run(forMilliseconds: 2500)
        #expect(done == [1, 2])
        worker.finish()
        #expect(done == [1, 2, 3, 4])
        worker.submit { done.append(5) }
        simulation.runUntilIdle()
        #expect(done == [1, 2, 3, 4])
    }
}
