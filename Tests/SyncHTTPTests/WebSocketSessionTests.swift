import SyncBytes
import SyncClient
import SyncIO
import SyncServer
import SyncSim
import SyncWebSocket
import SyncWire
import Testing

/// A client's session over WebSockets: what it makes of answers, and how it comes back.
@Suite struct WebSocketSessionTests {
    /// What has come to a session. Sendable, because everything runs on one thread.
    private final class Story: @unchecked Sendable {
        var session: ClientSession?
        var opened: Result<Welcome, ClientError>?
    }

    /// Answers each connection with a text.
    private final class Answerer: ByteStreamHandler {
        private let stream: any ByteStream
        private let answer: [UInt8]

        init(_ stream: any ByteStream, _ answer: [UInt8]) {
            (self.stream, self.answer) = (stream, answer)
            stream.open(self)
        }

        func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {
            if !stream.isWriting { stream.write([SharedBytes(answer)]) }
        }

        func streamDidDrain() {}
        func streamDidClose(_ error: IOError?) {}
    }

    /// Makes WebSockets at one path after the other, the last one for ever.
    private final class Paths: ClientSecurity, @unchecked Sendable {
        // Sendable, because everything runs on one thread.
        private var targets: [String]
        private(set) var attempts: [String] = []
        private(set) var stream: (any ByteStream)?

        init(_ targets: [String]) {
            self.targets = targets
        }

        func connect(
            to address: SocketAddress, on loop: any EventLoop,
            completion: @escaping (Result<any ByteStream, IOError>) -> Void
        ) {
            let target = targets.count > 1 ? targets.removeFirst() : targets[0]
            attempts.append(target)
            WebSocketClient(target: target, host: "server").connect(to: address, on: loop) {
                self.stream = try? $0.get()
                completion($0)
            }
        }
    }

    private func start(
        _ story: Story, at address: SocketAddress, by security: any ClientSecurity,
        in simulation: Simulation
    ) throws {
        var options = SessionOptions(address: address)
        options.security = security
        let made = options
        try simulation.makePlatform(named: "client").startLoop(named: "client") { loop in
            let session = ClientSession(options: made, loop: loop)
            story.session = session
            session.start { story.opened = $0 }
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 401 Who\r\n\r\n", "notAllowed", 0),
        ("HTTP/1.1 403 No\r\n\r\n", "notAllowed", 0),
        ("HTTP/1.1 404 Gone\r\n\r\n", "noWebSocket", 0),
        ("HTTP/1.1 426 No\r\nSec-WebSocket-Version: 14\r\n\r\n", "noWebSocket", 0),
        ("HTTP/1.1 302 There\r\nLocation: wss://there\r\n\r\n", "noWebSocket", 0),
        ("HTTP/1.1 503 Later\r\nRetry-After: 7\r\n\r\n", "unavailable", 7000),
        ("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}", "needsTLS", 0),
        ("220 mail.example.org", "noWebSocket", 0),
    ])
    func answersHaveCodes(_ answer: String, _ code: String, _ wait: UInt32) throws {
        let simulation = Simulation(seed: 1)
        defer { simulation.end() }
        let address = Box<SocketAddress?>(nil)
        let answerers = Box<[Answerer]>([])
        try simulation.makePlatform(named: "server").startLoop(named: "server") { loop in
            address.value = try? loop.listen(on: SocketAddress(host: "10.0.0.9", port: 80)) {
                answerers.value.append(Answerer($0, Array(answer.utf8)))
            }.address
        }
        simulation.run { address.value != nil }
        let story = Story()
        try start(
            story, at: try #require(address.value), by: WebSocketClient(target: "/v1/ws"),
            in: simulation)
        #expect(simulation.run(limitMilliseconds: 30_000) { story.opened != nil })
        guard case .failure(let error) = story.opened else {
            Issue.record("\(String(describing: story.opened))")
            return
        }
        #expect(error.code == code, "\(error.message)")
        #expect(error.message.hasPrefix("cannot connect: 10.0.0.9:80: "), "\(error.message)")
        #expect(error.retryAfterMilliseconds == wait)
        #expect(error.retry)
    }

    /// A proxy may answer 404 for a server that is away.
    @Test(arguments: [UInt64](0..<6)) func aSessionComesBack(seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed)
        let paths = Paths(["/v1/ws", "/elsewhere", "/elsewhere", "/v1/ws"])
        let story = Story()
        let address = try #require(world.server?.addressesOfGateways.first ?? nil)
        try start(story, at: address, by: paths, in: world.simulation)
        #expect(world.run { story.opened != nil })
        guard case .success = story.opened else {
            Issue.record("\(String(describing: story.opened))")
            return
        }
        paths.stream?.close()
        #expect(world.run { paths.attempts.count == 4 && paths.stream != nil })
        var answer: Reply?
        story.session?.ask(.rooms) { answer = $0 }
        #expect(world.run { answer != nil })
        #expect(paths.attempts == ["/v1/ws", "/elsewhere", "/elsewhere", "/v1/ws"])
        story.session?.close()
    }
}
