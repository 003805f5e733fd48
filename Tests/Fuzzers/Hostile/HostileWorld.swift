import CollSync
import Glibc
import SyncClient
import SyncIO
import SyncSim

/// A client in simulated time, with its tasks, and its hostile server.
final class HostileWorld: @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.

    static let limits: ClientLimits = {
        var limits = ClientLimits()
        limits.frameBytes = 64 << 10
        limits.roomBytes = 20_000
        limits.presenceBytes = 5_000
        limits.viewBytes = 5_000
        limits.viewElements = 20
        limits.listBytes = 5_000
        limits.requests = 8
        return limits
    }()

    /// How calls are named that the client answers by itself.
    static let local = "local "

    let server: HostileServer
    let turns = TaskTurns()
    let source = HostileSource()
    let gate = HostileGate()
    private let simulation = Simulation(seed: 1)
    private let options: SessionOptions
    private var platform: SimulatedPlatform?
    private let firstBytes = HostileWorld.allocatedBytes()

    var client: CollectionClient?
    var rooms: [CollectionRoom] = []
    var views: [CollectionView] = []
    var clipboard: Clipboard?
    private var isConnecting = false
    private var calls = 0
    private var unanswered: [Int: String] = [:]

    init(_ manners: HostileServer.Manners) {
        server = HostileServer(manners)
        let address = SocketAddress(host: "127.0.0.1", port: 7420)
        var options = SessionOptions(address: address, agent: "fuzzed")
        options.token = source
        options.limits = HostileWorld.limits
        self.options = options
        let server = server
        do {
            try simulation.makePlatform(named: "server").startLoop(named: "server") { loop in
                _ = try? loop.listen(on: address) { server.accept($0) }
            }
        } catch {
            finding("the server's loop does not start: \(error)")
        }
        simulation.runUntilIdle()
        platform = simulation.makePlatform(named: "client")
        connect()
        run(10)
    }

    /// Lets time pass, for the loops and the tasks.
    func run(_ milliseconds: UInt64) {
        turns.run()
        for _ in 0..<min(milliseconds, 5) {
            simulation.run(forMilliseconds: 1)
            turns.run()
        }
        guard milliseconds > 5 else { return }
        simulation.run(forMilliseconds: milliseconds - 5)
        turns.run()
    }

    // MARK: Calls

    /// Begins a call, which must return at the latest when the client is closed.
    func begin(_ what: String, _ body: @escaping @Sendable () async throws -> Void) {
        calls += 1
        let call = calls
        unanswered[call] = what
        Task(executorPreference: turns) { [self] in
            do {
                try await body()
            } catch {
                HostileWorld.check(error, of: what)
            }
            expect(unanswered.removeValue(forKey: call) != nil, "\(what) returns twice")
        }
    }

    /// Whether the program of this client would make another call.
    var isBusy: Bool { unanswered.count >= 24 }

    private static func check(_ error: any Error, of what: String) {
        guard let error = error as? CollectionError else {
            finding("\(what) throws something else: \(error)")
        }
        expect(!error.code.isEmpty, "an error of \(what) has no code")
        expect(
            error.message.utf8.count <= ClientLimits.textBytes + 64,
            "an error of \(what) has \(error.message.utf8.count) bytes")
    }

    func connect() {
        guard client == nil, !isConnecting, let platform else { return }
        isConnecting = true
        source.forget()
        begin("connect") { [self] in
            defer { isConnecting = false }
            client = try await CollectionClient.connect(options, platform: platform)
        }
    }

    func close() {
        client?.close()
        client = nil
        rooms = []
        views = []
    }

    /// Hinders the program of this client: its source of tokens, or its readers; or the server.
    func hinder(_ choices: inout InputBytes) {
        switch choices.below(3) {
        case 0: source.fails.toggle()
        case 1: gate.toggle()
        default: server.toggleReading()
        }
    }

    // MARK: Checks

    /// Checks what the client has, and how much memory that takes.
    func check() {
        for room in rooms { inspect(room) }
        for view in views { inspect(view) }
        run(5)
        for what in unanswered.values where what.hasPrefix(HostileWorld.local) {
            finding("\(what) does not return at once")
        }
        let bytes = HostileWorld.allocatedBytes() - firstBytes
        // What readers have not read yet has limits of its own.
        let most = HostileWorld.mostBytes + (gate.isClosed ? 64 << 20 : 0)
        expect(bytes <= most, "the client takes \(bytes) bytes, and may take \(most)")
    }

    /// How much memory all limits together allow.
    private static let mostBytes: Int = {
        let room = 2 * limits.roomBytes + limits.presenceBytes
        let request = max(limits.roomBytes, limits.listBytes)
        let counted =
            HostileCalls.mostRooms * room + HostileCalls.mostViews * limits.viewBytes
            + limits.requests * request + 2 * limits.frameBytes
        // What is counted takes more memory than its bytes. The rest, such as the server and the
        // network, has a fixed size.
        return 4 * counted + 4 << 20
    }()

    func end() {
        gate.open()
        // Attempts to connect have failed by then.
        run(30_000)
        close()
        run(1_000)
        expect(
            unanswered.isEmpty,
            "these calls do not return: \(unanswered.values.sorted().joined(separator: ", "))")
        simulation.end()
    }

    /// How many bytes are allocated, as the address sanitizer counts them.
    private static func allocatedBytes() -> Int { countAllocated() }

    private static let countAllocated: @convention(c) () -> Int = {
        guard let found = dlsym(nil, "__sanitizer_get_current_allocated_bytes") else {
            #if LIBFUZZER
                finding("the address sanitizer is not there")
            #else
                // Nothing counts, and the limit of memory is not checked.
                return { 0 }
            #endif
        }
        return unsafeBitCast(found, to: (@convention(c) () -> Int).self)
    }()
}

/// Where readers of streams rest while it is closed.
final class HostileGate: @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.
    private(set) var isClosed = false
    private var resting: [CheckedContinuation<Void, Never>] = []

    func toggle() {
        if isClosed { open() } else { isClosed = true }
    }

    func open() {
        isClosed = false
        let resting = resting
        self.resting = []
        for reader in resting { reader.resume() }
    }

    func pass() async {
        guard isClosed else { return }
        await withCheckedContinuation { resting.append($0) }
    }
}

/// Gives tokens after a moment, or fails.
final class HostileSource: TokenSource, @unchecked Sendable {
    // Sendable, because everything runs on one thread in a simulation.
    var fails = false
    private var isAsked = false
    private var last: UInt64?

    var isFixed: Bool { false }

    func fetch(
        on loop: any EventLoop, completion: @escaping (Result<AccessToken, ClientError>) -> Void
    ) -> (() -> Void)? {
        expect(!isAsked, "the source is asked twice at a time")
        let now = loop.nowMilliseconds
        // A new client need not know when an earlier one has asked.
        expect(last.map { now - $0 >= 1_000 } ?? true, "the source is asked too soon")
        last = now
        isAsked = true
        loop.schedule(afterMilliseconds: 3) { [self] in
            isAsked = false
            let failure = ClientError.noToken(code: "noToken", message: "not now", retry: true)
            completion(fails ? .failure(failure) : .success(AccessToken("token")))
        }
        return nil
    }

    /// Another client begins.
    func forget() {
        isAsked = false
        last = nil
    }
}
