import SyncBytes
import SyncIO
import SyncSim
import SyncWire
import Testing

/// A server that sends only what a test has it send, and records what it receives.
final class ScriptedServer {
    let simulation: Simulation
    let platform: SimulatedPlatform
    private(set) var address = SocketAddress(host: "127.0.0.1", port: 7420)
    private(set) var connections: [ScriptedConnection] = []
    /// Whether it answers the hello of a new connection by itself.
    var greets = true
    var heartbeatMilliseconds: UInt32 = 1_000
    var unansweredTransactions = 4
    /// How many views it allows; 0 if it knows no views.
    var views = WireLimits().views
    var features = Features.all
    /// After how long tokens expire, as it says in the welcome; 0 if never.
    var tokenMilliseconds: UInt64 = 0
    /// Handles each message that ``greets`` does not cover.
    var answer: (ScriptedConnection, ClientMessage) -> Void = { _, _ in }

    init(_ simulation: Simulation) throws {
        self.simulation = simulation
        platform = simulation.makePlatform(named: "server")
        try listen()
    }

    /// Opens the port, again if it was closed.
    func listen() throws {
        let address = address
        nonisolated(unsafe) let server = self
        try platform.startLoop(named: "server") { loop in
            do throws(IOError) {
                _ = try loop.listen(on: address) { stream in
                    server.connections.append(ScriptedConnection(stream, server: server))
                }
            } catch {
                Issue.record("the scripted server can't listen: \(error)")
            }
        }
        simulation.runUntilIdle()
    }

    var current: ScriptedConnection? { connections.last }

    /// The messages of the newest connection, except for heartbeats.
    var heard: [ClientMessage] {
        (current?.heard ?? []).filter { message in
            if case .heartbeat = message { false } else { true }
        }
    }
}

/// One connection of a scripted server.
final class ScriptedConnection: ByteStreamHandler {
    private let stream: any ByteStream
    private unowned let server: ScriptedServer
    private var frames = FrameDecoder()
    private let decoder = MessageDecoder()
    private let encoder = MessageEncoder()
    private var outgoing: [SharedBytes] = []
    private(set) var heard: [ClientMessage] = []
    /// The join by which each message names its room, if it does.
    private(set) var named: [RequestID?] = []
    private(set) var isClosed = false

    init(_ stream: any ByteStream, server: ScriptedServer) {
        self.stream = stream
        self.server = server
        stream.open(self)
    }

    func say(_ message: ServerMessage) {
        outgoing.append(encoder.encode(message).plain)
        flush()
    }

    func sayRaw(_ bytes: [UInt8]) {
        outgoing.append(SharedBytes(bytes))
        flush()
    }

    func close() {
        stream.close()
    }

    /// Whether it leaves what the client sends to the system.
    var isReadingPaused: Bool {
        get { stream.isReadingPaused }
        set { stream.isReadingPaused = newValue }
    }

    private func flush() {
        guard !isClosed, !stream.isWriting, !outgoing.isEmpty else { return }
        stream.write(outgoing)
        outgoing = []
    }

    private func hear(_ message: ClientMessage, naming join: RequestID?) {
        heard.append(message)
        named.append(join)
        guard server.greets else { return server.answer(self, message) }
        switch message {
        case .hello:
            var limits = WireLimits()
            limits.unansweredTransactions = server.unansweredTransactions
            limits.views = server.views
            var welcome = Welcome(
                version: 1, features: server.features, agent: "script",
                heartbeatMilliseconds: server.heartbeatMilliseconds, limits: limits)
            welcome.tokenMilliseconds = server.tokenMilliseconds
            say(.welcome(welcome))
        default: server.answer(self, message)
        }
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
        var input = bytes
        do throws(WireError) {
            while let frame = try frames.next(&input) {
                var join: RequestID?
                let message = try decoder.clientMessage(frame, naming: &join)
                hear(message, naming: join)
            }
        } catch {
            close()
        }
    }

    func streamDidDrain() {
        flush()
    }

    func streamDidClose(_ error: IOError?) {
        isClosed = true
    }
}
