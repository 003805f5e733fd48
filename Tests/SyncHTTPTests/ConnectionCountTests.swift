import SyncHTTP
import SyncServer
import SyncWebSocket
import Testing

/// The server's metrics count connections by the way in which clients are connected.
@Suite struct ConnectionCountTests {
    private func count(_ world: HTTPWorld, _ kind: String, of name: String) throws -> Int? {
        let text = String(decoding: try #require(world.server).metrics(), as: UTF8.self)
        let start = "\(name){kind=\"\(kind)\"} "
        let line = text.split(separator: "\n").first { $0.hasPrefix(start) }
        return line.flatMap { Int($0.dropFirst(start.count)) }
    }

    private func open(_ world: HTTPWorld) throws -> [Int?] {
        try ["tcp", "webSocket", "http"].map {
            try count(world, $0, of: "collsync_connections")
        }
    }

    @Test func requestsLinesAndFrames() throws {
        let world = try HTTPWorld()
        let requests = try world.connect()
        _ = try requests.ask("/v1/rooms")
        #expect(try open(world) == [0, 0, 1])
        let lines = try world.connect(
            by: WebSocketClient(target: "/v1/ws?room=list", host: "server", .lines))
        #expect(world.run { lines.receivedText.contains(#"{"snapshot":"#) })
        #expect(try open(world) == [0, 1, 1])
        let frames = try world.connect(
            by: WebSocketClient(target: "/v1/ws", host: "server", .bytes))
        #expect(world.run { (try? open(world)) == [0, 2, 1] })
        let accepted = "collsync_connections_accepted_total"
        #expect(try count(world, "webSocket", of: accepted) == 2)
        for client in [requests, lines, frames] { client.close() }
        #expect(world.run { (try? open(world)) == [0, 0, 0] })
    }
}
