import SyncBytes
import SyncIO
import SyncLoop
import SyncSim
import TLSSupport
import Testing

@testable import SyncWebSocket

/// What a client's attempt has come to. Sendable, because everything runs on one thread.
private final class Attempt: @unchecked Sendable {
    var result: Result<any ByteStream, IOError>?
    let notes = Notes()
    var doors: [Door] = []
    var accepted: [WebSocketStream] = []
    var servers: [Notes] = []

    var failure: String? {
        if case .failure(let error) = result { "\(error)" } else { nil }
    }
}

@Suite("Clients of WebSockets")
struct ClientTests {
    /// Lets a client connect to a door in a simulation.
    private func connect(
        seed: UInt64 = 1, answering answer: String? = nil, target: String = "/v1/socket",
        opens: Bool = true, _ body: (Attempt, Simulation) throws -> Void
    ) throws {
        let simulation = Simulation(seed: seed)
        defer { simulation.end() }
        let server = try #require(try SceneLoop(in: simulation).loop)
        let client = try #require(try SceneLoop(in: simulation).loop)
        let attempt = Attempt()
        let address = SocketAddress(host: "host", port: 80)
        let listener = try server.listen(on: address) { stream in
            attempt.doors.append(
                Door(stream, on: server, answering: answer) { opened in
                    let notes = Notes()
                    attempt.accepted.append(opened)
                    attempt.servers.append(notes)
                    opened.open(notes)
                    opened.write([SharedBytes(Array("welcome".utf8))])
                })
        }
        let security = WebSocketClient(target: target)
        client.connect(to: listener.address, by: security) { result in
            attempt.result = result
            guard opens, let stream = try? result.get() else { return }
            stream.open(attempt.notes)
            stream.write([SharedBytes(Array("hello".utf8))])
        }
        simulation.run { attempt.result != nil }
        simulation.run(forMilliseconds: 500)
        try body(attempt, simulation)
    }

    @Test("both sides speak at once after the handshake", arguments: [UInt64](1...20))
    func speaking(seed: UInt64) throws {
        try connect(seed: seed) { attempt, simulation in
            #expect(attempt.failure == nil)
            #expect(attempt.notes.text == "welcome")
            #expect(attempt.servers.map(\.text) == ["hello"])
            #expect(attempt.notes.drains == 1)
            attempt.accepted.first?.finishWriting()
            simulation.run(forMilliseconds: 500)
            #expect(attempt.notes.closes == [nil])
            #expect(attempt.servers.map(\.closes) == [[nil]])
        }
    }

    @Test("a stream that the client does not open is closed")
    func unused() throws {
        try connect(opens: false) { attempt, simulation in
            simulation.run(forMilliseconds: 2000)
            #expect(attempt.servers.map(\.closes) == [[nil]])
        }
    }

    @Test(
        "a server that does not agree is unreachable, and the reason is what it answers",
        arguments: [
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404 Not Found"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 OK"),
            ("HTTP/1.1 426 No\r\nSec-WebSocket-Version: 8\r\n\r\n", "426 Upgrade Required"),
            ("HTTP/1.1 101 OK\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", "another protocol"),
            (
                "HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
                "another request"
            ),
            ("\u{11}\u{16}hello\r\n\r\n", "not answer in HTTP"),
            ("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 20_000), "HTTP"),
            ("HTTP/1.1 101", "too long"),
        ])
    func refused(_ answer: String, _ reason: String) throws {
        try connect(answering: answer) { attempt, simulation in
            let failure = attempt.failure ?? ""
            #expect(failure.hasPrefix("cannot connect: host:80: "))
            #expect(failure.contains(reason), "\(failure)")
            #expect(simulation.nowMicroseconds < 11_000_000)
        }
    }

    @Test("no target adds fields to the request")
    func target() throws {
        try connect(target: "/ HTTP/1.1\r\nX: y") { attempt, _ in
            #expect(attempt.failure?.contains("target") == true)
            #expect(attempt.accepted.isEmpty)
        }
    }

    @Test("a server that goes away is unreachable")
    func away() throws {
        let simulation = Simulation(seed: 1)
        defer { simulation.end() }
        let loop = try #require(try SceneLoop(in: simulation).loop)
        let address = SocketAddress(host: "host", port: 80)
        let listener = try loop.listen(on: address) { _ in }
        let attempt = Attempt()
        let security = WebSocketClient(target: "/")
        loop.connect(to: listener.address, by: security) { attempt.result = $0 }
        simulation.run { attempt.result != nil }
        #expect(attempt.failure?.contains("before the server answers") == true)
    }

    @Test("a WebSocket runs over TLS on a real loop")
    func secured() throws {
        let authority = try TestAuthority()
        let (server, client) = (try authority.makeServer(), try authority.makeClient())
        let attempt = Attempt()
        let end = try LoopPlatform().startLoop(named: "test") { loop in
            loop.schedule(afterMilliseconds: 60_000) { loop.stop() }
            let listener = try? loop.listen(on: SocketAddress(host: "127.0.0.1", port: 0)) {
                let below = server.secure($0, on: loop)
                attempt.doors.append(
                    Door(below, on: loop) { opened in
                        let notes = Notes()
                        notes.onReceive = { opened.write([SharedBytes(notes.received)]) }
                        opened.open(notes)
                        attempt.servers.append(notes)
                        attempt.accepted.append(opened)
                    })
            }
            guard let listener else { return loop.stop() }
            let security = WebSocketClient(target: "/", by: client)
            loop.connect(to: listener.address, by: security) { result in
                attempt.result = result
                guard let stream = try? result.get() else { return loop.stop() }
                attempt.notes.onReceive = { loop.stop() }
                stream.open(attempt.notes)
                stream.write([SharedBytes(Array("hello".utf8))])
            }
        }
        end.join()
        #expect(attempt.failure == nil)
        #expect(attempt.notes.text == "hello")
        let accepted = try #require(attempt.accepted.first)
        // A record each for the request and the frame, and a share of one for the frame itself.
        #expect(accepted.takeRecordCount() >= 2)
        #expect(accepted.memoryBytes > 14 << 10)
    }
}
