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

    /// Lets go of what calls it, which retains it.
    func release() {
        doors = []
        for notes in servers + [notes] { notes.onReceive = {} }
    }

    /// Why an answer opens no WebSocket, if that was it.
    var refusal: WebSocketRefusal? {
        if case .failure(.noWebSocket(let refusal)) = result { refusal } else { nil }
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
        defer { attempt.release() }
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
        "a server that does not agree is told apart by what it answers",
        arguments: [
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", .notOffered, "404 Not Found"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .notOffered, "200 OK"),
            (
                "HTTP/1.1 426 No\r\nSec-WebSocket-Version: 8\r\n\r\n", .notOffered,
                "426 Upgrade Required"
            ),
            ("HTTP/1.1 401 Who\r\n\r\n", .notAllowed, "401 Unauthorized"),
            ("HTTP/1.1 403 No\r\n\r\n", .notAllowed, "403 Forbidden"),
            ("HTTP/1.1 429 No\r\n\r\n", .unavailable, "429 Too Many Requests"),
            ("HTTP/1.1 502 No\r\n\r\n", .unavailable, "answers 502"),
            (
                "HTTP/1.1 101 OK\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", .notOffered,
                "another protocol"
            ),
            (
                "HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
                .notOffered, "another request"
            ),
            ("\u{11}\u{16}hello\r\n\r\n", .notOffered, "not answer in HTTP"),
            ("SSH-2.0-OpenSSH", .notOffered, "not answer in HTTP"),
            ("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{16}", .needsTLS, "only connections by TLS"),
            ("HTTP/1.1 2\r\n\r\n", .notOffered, "not answer in HTTP"),
            (
                "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 20_000), .notOffered,
                "too long"
            ),
            (
                String(repeating: "HTTP/1.1 103 Early\r\nX: y\r\n\r\n", count: 800), .notOffered,
                "too long"
            ),
        ] as [(String, WebSocketRefusal.Reason, String)])
    func refused(_ answer: String, _ reason: WebSocketRefusal.Reason, _ words: String) throws {
        try connect(answering: answer) { attempt, _ in
            let failure = attempt.failure ?? ""
            #expect(failure.hasPrefix("cannot connect: host:80: "))
            #expect(failure.contains(words), "\(failure)")
            #expect(attempt.refusal?.reason == reason)
        }
    }

    @Test("a server whose answer does not end is unreachable after ten seconds")
    func slow() throws {
        try connect(answering: "HTTP/1.1 101") { attempt, simulation in
            #expect(attempt.failure == "cannot connect: host:80: the answer takes too long")
            #expect(simulation.nowMicroseconds < 11_000_000)
        }
    }

    @Test(
        "a redirect is not followed, and its target is named if people can read it",
        arguments: [
            ("wss://other/v1/ws", "wss://other/v1/ws"), ("", nil), ("/a\u{7F}b", nil),
            (String(repeating: "x", count: 300), nil),
        ])
    func redirected(_ location: String, _ named: String?) throws {
        let answer = "HTTP/1.1 308 Moved\r\nLocation: \(location)\r\n\r\n"
        try connect(answering: answer) { attempt, _ in
            #expect(attempt.refusal?.reason == .notOffered)
            let tail = named.map { ", and names \($0), which the client does not follow" } ?? ""
            // A value with a control character is no field.
            guard !location.contains("\u{7F}") else { return }
            let answer = "host:80: the server answers 308 Permanent Redirect"
            #expect(attempt.refusal?.text == answer + tail)
        }
    }

    @Test(
        "the time to wait is taken over, up to an hour",
        arguments: [
            ("Retry-After: 3", 3000), ("Retry-After: 4294967295", 3_600_000), ("X: 1", 0),
            ("Retry-After: 4294967296", 0), ("Retry-After: -1", 0),
            ("Retry-After: Wed, 21 Oct 2026 07:28:00 GMT", 0),
        ])
    func retryAfter(_ field: String, _ milliseconds: Int) throws {
        try connect(answering: "HTTP/1.1 503 Busy\r\n\(field)\r\n\r\n") { attempt, _ in
            #expect(attempt.refusal?.reason == .unavailable)
            #expect(attempt.refusal?.retryAfterMilliseconds == UInt32(milliseconds))
        }
    }

    @Test("only what is below hides what is sent")
    func confidential() throws {
        let authority = try TestAuthority()
        #expect(!WebSocketClient(target: "/").isConfidential)
        #expect(WebSocketClient(target: "/", by: try authority.makeClient()).isConfidential)
        #expect(
            !WebSocketClient(target: "/", by: WebSocketClient(target: "/")).isConfidential)
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
        defer { attempt.release() }
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
