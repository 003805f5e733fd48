import SyncBytes
import SyncIO
import SyncSim
import Testing

@testable import SyncWebSocket

/// A server that does anything during the handshake. It sends a piece again and again, whenever the
/// last one is taken.
private final class Babbler: ByteStreamHandler, @unchecked Sendable {
    // Sendable, because everything runs on one thread.
    private let stream: any ByteStream
    private let loop: any EventLoop
    private let piece: [UInt8]
    private let pauseMilliseconds: UInt64
    private(set) var sentBytes = 0
    private(set) var isClosed = false

    init(
        _ stream: any ByteStream, on loop: any EventLoop, first: String, then piece: String,
        afterMilliseconds pause: UInt64
    ) {
        (self.stream, self.loop, pauseMilliseconds) = (stream, loop, pause)
        self.piece = Array(piece.utf8)
        stream.open(self)
        send(Array(first.utf8))
    }

    private func send(_ bytes: [UInt8]) {
        guard !isClosed else { return }
        sentBytes += bytes.count
        stream.write([SharedBytes(bytes)])
    }

    func streamDidReceive(_ bytes: UnsafeRawBufferPointer) {}

    func streamDidDrain() {
        guard !piece.isEmpty else { return }
        loop.schedule(afterMilliseconds: pauseMilliseconds) { [self] in send(piece) }
    }

    func streamDidClose(_ error: IOError?) { isClosed = true }
}

/// What a client of WebSockets does with a server that keeps no rule. (A server is held to them by
/// `FrameRuleTests`, whose reader is the same.)
@Suite("A hostile server")
struct HostileServerTests {
    private struct Ending {
        var error: IOError?
        var milliseconds: UInt64 = 0
        var sentBytes = 0
        var isClosed = false
    }

    /// Has a client connect to a server that sends something, whatever it is asked.
    private func connect(
        first: String, then piece: String = "", afterMilliseconds pause: UInt64 = 0,
        closes: Bool = false
    ) throws -> Ending {
        let simulation = Simulation(seed: 1)
        defer { simulation.end() }
        let server = try #require(try SceneLoop(in: simulation).loop)
        let client = try #require(try SceneLoop(in: simulation).loop)
        nonisolated(unsafe) var babbler: Babbler?
        nonisolated(unsafe) var result: Result<any ByteStream, IOError>?
        let listener = try server.listen(on: SocketAddress(host: "host", port: 80)) { stream in
            if closes { return stream.close() }
            babbler = Babbler(
                stream, on: server, first: first, then: piece, afterMilliseconds: pause)
        }
        client.connect(to: listener.address, by: WebSocketClient(target: "/")) { result = $0 }
        simulation.run { result != nil }
        var ending = Ending()
        ending.milliseconds = simulation.nowMicroseconds / 1000
        simulation.run(forMilliseconds: 500)
        if case .failure(let error) = result { ending.error = error }
        ending.sentBytes = babbler?.sentBytes ?? 0
        ending.isClosed = babbler?.isClosed ?? true
        return ending
    }

    @Test("a server that closes at once is unreachable")
    func closing() throws {
        let ending = try connect(first: "", closes: true)
        guard case .unreachable(let why) = ending.error else {
            Issue.record("\(String(describing: ending.error))")
            return
        }
        #expect(why.contains("before the server answers"))
    }

    @Test("a head that drips is given up after ten seconds")
    func dripping() throws {
        let ending = try connect(
            first: "HTTP/1.1 101 Yes\r\nX: ", then: "x", afterMilliseconds: 200)
        #expect(ending.error == .unreachable("host:80: the answer takes too long"))
        #expect((9_900...10_500).contains(ending.milliseconds))
        #expect(ending.isClosed)
    }

    @Test(
        "a head without an end is given up soon, whatever it is made of",
        arguments: [
            ("HTTP/1.1 101 Yes\r\nX: ", String(repeating: "x", count: 1000)),
            ("HTTP/1.1 101 Yes\r\n", "X: y\r\n"),
            ("HTTP/1.1 101 ", String(repeating: "y", count: 1000)),
            ("", "HTTP/1.1 100 Continue\r\n\r\n"),
            ("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
        ])
    func endless(_ first: String, _ piece: String) throws {
        let ending = try connect(first: first, then: piece)
        guard case .noWebSocket(let refusal) = ending.error else {
            Issue.record("\(String(describing: ending.error))")
            return
        }
        #expect(refusal.reason == .notOffered)
        #expect(ending.sentBytes < 64 << 10, "it is not read for long")
        #expect(ending.isClosed)
    }

    @Test("a body behind a refusal is not read")
    func body() throws {
        let ending = try connect(
            first: "HTTP/1.1 404 No\r\nContent-Length: 1000000000\r\n\r\n",
            then: String(repeating: "x", count: 1000))
        guard case .noWebSocket(let refusal) = ending.error else {
            Issue.record("\(String(describing: ending.error))")
            return
        }
        #expect(refusal.text.contains("404"))
        #expect(ending.sentBytes < 256 << 10)
        #expect(ending.isClosed)
    }

    // MARK: After the handshake

    /// A frame as a server sends it.
    private static func frame(
        _ opcode: UInt8, _ data: [UInt8] = [], isFinal: Bool = true, reservedBits: UInt8 = 0
    ) -> Frame {
        Frame(opcode, data, isFinal: isFinal, reservedBits: reservedBits, isMasked: false)
    }

    private static let wrong: [(String, [UInt8], UInt16)] = [
        ("a masked frame", Frame(Frame.binary, [1]).bytes(), 1002),
        ("a masked ping", Frame(Frame.ping, [1]).bytes(), 1002),
        ("a reserved bit", frame(Frame.binary, [1], reservedBits: 4).bytes(), 1002),
        ("a reserved opcode", frame(3, [1]).bytes(), 1002),
        ("a reserved control opcode", frame(11).bytes(), 1002),
        ("text", frame(Frame.text, [0x61]).bytes(), 1003),
        ("a continuation of nothing", frame(Frame.continuation, [1]).bytes(), 1002),
        (
            "a message in a message",
            frame(Frame.binary, [], isFinal: false).bytes() + frame(Frame.binary).bytes(), 1002
        ),
        ("a ping in fragments", frame(Frame.ping, isFinal: false).bytes(), 1002),
        ("a long ping", frame(Frame.ping, [UInt8](repeating: 0, count: 126)).bytes(), 1002),
        ("a length in too many bytes", frame(Frame.binary, [1]).bytes(.eight), 1002),
        ("a length of 2^63", frame(Frame.binary).bytes(.eight, claiming: 1 << 63), 1002),
        ("half of a code", frame(Frame.close, [3]).bytes(), 1002),
        ("a code that no frame has", frame(Frame.close, [3, 0xED]).bytes(), 1002),
        ("a reason that is no text", frame(Frame.close, [3, 0xE8, 0xFF]).bytes(), 1007),
        ("HTTP", Array("HTTP/1.1 200 OK\r\n\r\n".utf8), 1002),
    ]

    @Test("a broken rule is a typed error, and the server is told which", arguments: wrong)
    func frames(_ name: String, _ bytes: [UInt8], _ code: UInt16) throws {
        for size in [bytes.count, 1] {
            let scene = try Scene(.bytes, isServer: false)
            scene.send(
                stride(from: 0, to: bytes.count, by: size).map {
                    Array(bytes[$0..<min($0 + size, bytes.count)])
                })
            let last = try #require(try scene.takeFrames().last)
            #expect(last.opcode == Frame.close && last.isMasked)
            #expect(last.data.prefix(2).reduce(0) { $0 << 8 | UInt16($1) } == code)
            scene.simulation.run(forMilliseconds: 2000)
            #expect(scene.below.isClosed)
            #expect(scene.notes.received == [])
            guard case .connectionLost(let why) = scene.notes.closes.first ?? nil else {
                Issue.record("\(scene.notes.closes)")
                return
            }
            #expect(why.contains("broke the rules of WebSockets"))
        }
    }

    @Test("a server can't make a client that does not read hold more than one read")
    func memory() throws {
        let scene = try Scene(.bytes, isServer: false)
        scene.stream.isReadingPaused = true
        let read = Self.frame(Frame.binary, [UInt8](repeating: 7, count: 16_000)).bytes()
        for _ in 0..<100 { scene.send([read]) }
        #expect(scene.notes.received == [])
        #expect(scene.stream.memoryBytes < 3 * read.count)
        scene.stream.isReadingPaused = false
        scene.simulation.runUntilIdle()
        #expect(scene.notes.received.count == 100 * 16_000)
    }
}
