import EngineTwin
import SeededRandom
import SyncClient
import SyncIO
import SyncLayout
import SyncModel
import SyncServer
import SyncSim
import SyncStore
import Testing

/// Clients of this library and the real server, in one simulation.
@Suite struct ClientServerTests {
    /// Several clients write while their connections break. In the end all have the same room,
    /// every transaction has one answer, and no two have the same revision.
    @Test(arguments: 0..<12) func convergesOverLostConnections(seed: UInt64) throws {
        let world = try World(seed: seed)
        let clients = try (0..<3).map { try world.join("client \($0)") }
        var random = SplitMix64(seed: seed)
        var submitted = [0, 0, 0]
        for _ in 0..<60 {
            let index = random.below(clients.count)
            for _ in 0..<(1 + random.below(4)) {
                clients[index].submit([World.operation(for: clients[index], &random)])
                submitted[index] += 1
            }
            if random.chance(15), let connection = random.pick(world.connections) {
                connection.cut()
            }
            world.simulation.run(forMilliseconds: UInt64(random.below(120)))
        }
        world.simulation.run { zip(clients, submitted).allSatisfy { $0.answers.count == $1 } }
        let newest = clients.flatMap(\.commits).map(\.revision).max() ?? 0
        world.simulation.run { clients.allSatisfy { $0.membership?.revision == newest } }
        let late = try world.join("late")

        let expected = late.membership?.replica.snapshot
        #expect(expected?.revision == newest, "seed \(seed)")
        for client in clients {
            #expect(client.membership?.replica.snapshot == expected, "seed \(seed)")
            #expect(client.hasAnswersBeforeBatches, "seed \(seed)")
        }
        let revisions = clients.flatMap(\.commits).map(\.revision)
        #expect(Set(revisions).count == revisions.count, "seed \(seed)")
        #expect(revisions.count == Int(newest), "seed \(seed)")
        #expect(
            clients.contains { $0.room.delays.count > 0 }, "seed \(seed) breaks no connection")
    }

    /// A client that stops reading costs nobody anything, and catches up when it goes on.
    @Test func aPausedReaderCatchesUp() throws {
        let world = try World(seed: 99)
        world.simulation.conditions.socketBufferBytes = 8_192
        let reader = try world.join("reader")
        let writer = try world.join("writer")
        reader.session?.pauseReading(.always)
        var random = SplitMix64(seed: 99)
        for _ in 0..<200 {
            for _ in 0..<20 { writer.submit([World.operation(for: writer, &random)]) }
            world.simulation.run(forMilliseconds: 20)
        }
        world.simulation.run { writer.answers.count == 4_000 }
        let held = reader.membership?.revision ?? 0
        #expect(held < 4_000)
        reader.session?.resumeReading(.always)
        world.simulation.run { reader.membership?.revision == writer.membership?.revision }
        #expect(reader.membership?.replica.snapshot == writer.membership?.replica.snapshot)
        #expect(reader.room.events.count < 100, "batches must be composed")
    }

    /// Items that are inserted above the screen during a lost connection do not move it.
    @Test func aScreenStaysOverALostConnection() throws {
        let world = try World(seed: 7)
        let reader = try world.join("reader")
        let writer = try world.join("writer")
        let section = Identifier("main")
        for number in 0..<60 {
            let item = Item(id: try Identifier("i\(number)"))
            writer.submit([.insert(item, to: Placement(section: section))])
        }
        world.simulation.run { writer.answers.count == 60 }
        let membership = try #require(reader.membership)
        let view = try #require(
            reader.session?.openView(
                of: membership,
                layout: ViewLayout(.flow) { $0.itemSize = ListSize(width: 100, height: 50) },
                bounds: ListRect(y: 1210, width: 100, height: 200), overscan: 0))
        func place(of item: String) -> Double? {
            guard let screen = membership.screen(of: view) else { return nil }
            let shown = screen.elements.first { element in
                if case .item(let shown) = element.content { shown.id.text == item } else { false }
            }
            return shown.map { $0.element.frame.y - screen.bounds.y }
        }
        world.simulation.run { place(of: "i20") == -10 }
        world.connections.first?.cut()
        for number in 0..<10 {
            let item = Item(id: try Identifier("first\(number)"))
            let first = Placement(section: section, position: .index(0))
            writer.submit([.insert(item, to: first)])
        }
        world.simulation.run { writer.answers.count == 70 }
        #expect(reader.room.events.last == .interrupted("connectionLost"), "the client is not back")
        world.simulation.run { membership.screen(of: view)?.revision == 70 }
        #expect(place(of: "i20") == -10)
        #expect(membership.screen(of: view)?.bounds.y == 1810)
    }
}

/// A server with an empty store, and machines for clients.
private final class World {
    let simulation: Simulation
    private let server: Server
    private var address: SocketAddress?

    init(seed: UInt64) throws {
        simulation = Simulation(seed: seed)
        let platform = simulation.makePlatform(named: "server")
        let store = WorkerStore(
            MemoryStorage(), worker: try platform.startWorker(named: "store"))
        let started = Started()
        server = try Server.start(
            on: platform, store: store, configuration: ServerConfiguration(), log: Silence()
        ) { result in
            started.address = try? result.get()
        }
        simulation.run { started.address != nil }
        address = started.address
    }

    deinit {
        simulation.end()
        server.join()
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

    var connections: [SimulatedConnection] { simulation.network.connections }

    /// A client that has joined the room.
    func join(_ name: String) throws -> SessionFixture {
        let client = try SessionFixture(
            simulation, name: name, address: try #require(address))
        client.open()
        client.join()
        simulation.run { client.membership?.replica.revision != nil }
        return client
    }

    /// An operation that is always accepted: it names only items of the client's replica.
    static func operation(for client: SessionFixture, _ random: inout SplitMix64) -> ListOperation {
        let items = client.membership?.replica.snapshot?.sections.flatMap(\.items) ?? []
        guard let item = random.pick(items), !random.chance(40) else {
            let id = RandomName.make(prefix: "i-", random: random.next())
            return .insert(Item(id: id), to: Placement(section: main))
        }
        switch random.below(3) {
        case 0: return .delete(item.id)
        case 1:
            let index = UInt64(random.below(10))
            return .move(item.id, to: Placement(section: main, position: .index(index)))
        default:
            let value = Value.number(Double(random.below(100)))
            return .update(item.id, ItemPatch(set: [Field(name: main, value: value)]))
        }
    }

    private static let main = RandomName.main
}

extension RandomName {
    fileprivate static var main: Identifier {
        "main"
    }
}

extension SessionFixture {
    fileprivate var commits: [Commit] {
        answers.compactMap { answer in
            if case .committed(let commit) = answer { commit } else { nil }
        }
    }

    /// Whether each answer came before the batch with its transaction.
    fileprivate var hasAnswersBeforeBatches: Bool {
        var held: Revision = 0
        for event in room.events {
            switch event {
            case .batch(_, let to): held = to
            case .answer(_, .committed(let commit)) where commit.revision <= held: return false
            default: break
            }
        }
        return true
    }
}
