import SeededRandom
import SyncBytes
import SyncIO
import SyncModel
import SyncServer
import SyncSim
import SyncStore
import SyncWire

/// Measures a tick of a room: the whole server, from a writer's bytes to the bytes for each member.
/// The network is simulated and the log in memory. Everything runs on one thread, and each run does
/// the same work.
///
/// So this is not the speed of a server, much of which depends on the system. It is for counting
/// instructions.
final class TickBenchmark {
    private let simulation: Simulation
    private let server: Server
    private let members: [TickMember]
    private let encoder = MessageEncoder()
    private var random: SplitMix64
    private let items: Int
    private var revision: Revision = 0
    private var counters: [UInt64]

    /// The number of bytes that each member received.
    var receivedBytes: [Int] { members.map(\.receivedBytes) }

    private struct SilentLog: ServerLog {
        func log(
            _ level: ServerLogLevel, _ message: String, _ details: KeyValuePairs<String, String>
        ) {}
    }

    /// The load of one tick.
    struct Load {
        var writers: Int
        /// The edits of each writer.
        var edits: Int
    }

    init(members count: Int, items: Int, seed: UInt64) throws {
        simulation = Simulation(seed: seed)
        simulation.conditions = .immediate
        random = SplitMix64(seed: seed)
        self.items = items
        counters = Array(repeating: 0, count: count)
        let platform = simulation.makePlatform(named: "server")
        var configuration = ServerConfiguration()
        configuration.address.port = 7420
        let address = Answer<SocketAddress>()
        server = try Server.start(
            on: platform,
            store: WorkerStore(MemoryStorage(), worker: try platform.startWorker(named: "store")),
            configuration: configuration, log: SilentLog(),
            ready: { address.value = try? $0.get() })
        simulation.runUntilIdle()
        members = (0..<count).map { TickMember(named: "m\($0)") }
        guard let address = address.value else { return }
        for (number, member) in members.enumerated() {
            let client = simulation.makePlatform(named: "client \(number)")
            try client.startLoop(named: "client") { member.connect(to: address, on: $0) }
        }
        simulation.runUntilIdle()
        try enter()
        try fill()
    }

    deinit {
        simulation.end()
        server.join()
    }

    private func enter() throws {
        guard let room = RoomName("room") else { return }
        for member in members { member.send(.hello(Hello(agent: "bench")), with: encoder) }
        simulation.runUntilIdle()
        for (number, member) in members.enumerated() {
            let client = try Identifier("m\(number)")
            member.send(
                .join(Join(request: 1, room: room, client: client, secret: [1])), with: encoder)
        }
        simulation.runUntilIdle()
        precondition(members.allSatisfy { $0.room != nil }, "a room takes its members in")
    }

    private func fill() throws {
        let main = Placement(section: Identifier("main"))
        for start in stride(from: 0, to: items, by: 1000) {
            let operations = try (start..<min(start + 1000, items)).map {
                ListOperation.insert(try EngineBenchmark.item($0), to: main)
            }
            members[0].send(try submit([operations], by: 0))
            simulation.runUntilIdle()
            revision += 1
        }
    }

    /// - Parameter transactions: the operations of each transaction.
    private func submit(
        _ transactions: [[ListOperation]], by writer: Int
    ) throws -> SharedBytes {
        var bytes = ByteWriter()
        let room = members[writer].room ?? 0
        for operations in transactions {
            counters[writer] += 1
            let submit = try Submit(
                room: room, counter: counters[writer],
                transaction: ListTransaction(base: revision, operations: operations))
            let frame = encoder.encode(.submit(submit)).plain
            frame.withBytes { bytes.write(contentsOf: $0) }
        }
        return SharedBytes(copying: bytes.bytes)
    }

    /// Plays some ticks. Each begins when all members have received everything of the one before.
    ///
    /// - Returns: how many seconds they took.
    func play(_ load: Load, ticks: Int) throws -> Double {
        let before = receivedBytes
        var seconds = 0.0
        for _ in 0..<ticks {
            let bytes = try (0..<load.writers).map { writer in
                try submit(
                    try (0..<load.edits).map { _ in
                        [
                            try EditPool.operation(
                                random.below(1 << 20), items: items, &random)
                        ]
                    },
                    by: writer)
            }
            let watch = Stopwatch()
            playTick(bytes)
            seconds += watch.seconds
            revision += Revision(load.writers * load.edits)
        }
        precondition(
            zip(receivedBytes, before).allSatisfy { $0 >= $1 + ticks * 8 },
            "every member is sent every tick")
        return seconds
    }

    /// A function of its own, so that profilers can select it.
    @inline(never)
    private func playTick(_ bytes: [SharedBytes]) {
        for (writer, bytes) in bytes.enumerated() { members[writer].send(bytes) }
        simulation.runUntilIdle()
    }
}

/// A value that a `Sendable` closure returns, where everything is on one thread.
private final class Answer<Value>: @unchecked Sendable {
    var value: Value?
}

extension Conditions {
    /// Nothing takes any time, and nothing is split into pieces.
    fileprivate static var immediate: Conditions {
        var conditions = Conditions()
        conditions.networkDelayMicroseconds = 0...0
        conditions.pieceGapMicroseconds = 0...0
        conditions.pieceBytes = (1 << 24)...(1 << 24)
        conditions.socketBufferBytes = 1 << 24
        conditions.turnMicroseconds = 0...0
        conditions.mailDelayMicroseconds = 0...0
        conditions.jobMicroseconds = 1...1
        return conditions
    }
}
