import SyncHTTP
import SyncServer
import SyncWebSocket
import Testing

/// Strangers send far more small things than a turn has time for. Each costs steps of a turn, so
/// that it ends in time, and others have theirs.
@Suite struct FloodTests {
    private static let turnSteps = 2048
    private static let strangers = 20
    /// How many full turns a small request may wait for its answer.
    private static let mostTurnsToWait = 4

    /// Has strangers send the same at once, and waits until it is answered.
    ///
    /// - Parameters:
    ///   - steps: about how many steps all of it takes.
    ///   - end: what the last answer has near its end.
    ///   - connect: a stranger's connection.
    private func flood(
        with text: String, steps: Int, until end: String, _ world: HTTPWorld,
        _ connect: () throws -> HTTPClient
    ) throws {
        let clients = try (0..<FloodTests.strangers).map { _ in try connect() }
        let server = try #require(world.server)
        let bystander = try world.connect()
        let before = server.turns.fullTurns
        for client in clients { client.send(text) }
        #expect(world.run { server.turns.fullTurns > before })
        // Whoever has little to ask is answered soon, however much the others have sent.
        let asked = server.turns.fullTurns
        bystander.send("GET /healthz HTTP/1.1\r\nHost: s\r\n\r\n")
        #expect(world.run { !bystander.end.received.isEmpty })
        #expect(server.turns.fullTurns - asked <= FloodTests.mostTurnsToWait)
        #expect(
            world.run {
                clients.allSatisfy { client in
                    String(decoding: client.end.received.suffix(200), as: UTF8.self).contains(end)
                }
            })
        let turns = server.turns
        #expect(
            turns.fullTurns - before >= FloodTests.strangers * steps / FloodTests.turnSteps / 2)
        // A turn ends behind the work that exceeds it.
        #expect(turns.largestTurn <= FloodTests.turnSteps * 2, "\(turns)")
    }

    private func world() throws -> HTTPWorld {
        let world = try HTTPWorld { $0.turnSteps = FloodTests.turnSteps }
        // All of it comes at once.
        world.simulation.conditions.socketBufferBytes = 1 << 20
        world.simulation.conditions.pieceBytes = 65_536...65_536
        world.simulation.conditions.networkDelayMicroseconds = 0...0
        world.simulation.conditions.pieceGapMicroseconds = 0...0
        return world
    }

    @Test func requestsFollowOneAnother() throws {
        let world = try world()
        func request(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: s\r\n\r\n" }
        try flood(
            with: String(repeating: request("/healthz"), count: 200) + request("/nothing"),
            steps: 200 * 64, until: "there is nothing at this path", world
        ) {
            try world.connect()
        }
    }

    @Test func chunksOfAByte() throws {
        let world = try world()
        let body = String(repeating: "1\r\n \r\n", count: 8000)
        let head = "POST /v1/layout HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: chunked\r\n\r\n"
        try flood(
            with: head + body + "0\r\n\r\n", steps: body.utf8.count / 8, until: "malformed", world
        ) {
            try world.connect()
        }
    }

    /// The connection of a stranger who sends lines.
    private func join(_ world: HTTPWorld) throws -> HTTPClient {
        let client = try world.connect(
            by: WebSocketClient(target: "/v1/ws?room=list", host: "server", .lines))
        #expect(world.run { client.receivedText.contains(#"{"snapshot":"#) })
        return client
    }

    @Test func linesThatAreWrong() throws {
        let world = try world()
        try flood(
            with: String(repeating: "x\n", count: 2000), steps: 2000 * 6,
            until: #""line":2000}"#, world
        ) {
            try join(world)
        }
    }

    /// Many values are made of a line, and then it is refused, as nobody may show anything here.
    @Test func linesOfManyValues() throws {
        let world = try world()
        let line =
            #"{"presence":{"custom":["#
            + String(repeating: "{},", count: 300) + "0]}}\n"
        try flood(
            with: String(repeating: line, count: 60), steps: 60 * 300, until: #""line":60}"#, world
        ) {
            try join(world)
        }
    }
}
