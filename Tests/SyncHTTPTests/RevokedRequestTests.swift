import ServerSupport
import SyncAccess
import SyncModel
import SyncServer
import Testing

@testable import SyncHTTP

/// From the answer to a revocation on, nothing more is sent to who is revoked.
@Suite struct RevokedRequestTests {
    private static let room = "/v1/rooms/list"

    private func world(_ seed: UInt64) throws -> HTTPWorld {
        try HTTPWorld(seed: seed) {
            $0.tokens = TokenAuthentication(PlainTokens())
            $0.tokens?.areTakenFromAnywhere = true
        }
    }

    private func post(_ client: HTTPClient, as user: String, _ ids: [String]) throws {
        let operations = ids.map {
            #"{"insert":{"item":{"id":"\#($0)"},"to":{"section":"main"}}}"#
        }
        let answer = try client.ask(
            "POST", Self.room + "/transactions",
            ["Authorization": "Bearer \(PlainTokens.token(user))"],
            body: #"{"ops":[\#(operations.joined(separator: ","))]}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// A connection that gets something for long.
    private func begin(_ target: String, _ world: HTTPWorld) throws -> HTTPClient {
        let client = try world.connect()
        var text = "GET \(target) HTTP/1.1\r\nHost: server\r\n"
        if target.contains("/ws") {
            text +=
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Protocol: collsync.v1.json\r\n"
        }
        client.send(text + "Authorization: Bearer \(PlainTokens.token("ann"))\r\n\r\n")
        return client
    }

    private func revoke(_ world: HTTPWorld) {
        var set = Revocations()
        set.insert(.user("ann", through: .max))
        let isDone = Box(false)
        world.server?.revoke(set) { isDone.value = true }
        #expect(world.run { isDone.value })
    }

    @Test(arguments: [room + "/stream", "/v1/ws?room=list"], 0..<4 as Range<UInt64>)
    func aListenerHearsNoMore(target: String, seed: UInt64) throws {
        let world = try world(seed)
        let writer = try world.connect()
        try post(writer, as: "ben", ["before"])
        let listener = try begin(target, world)
        #expect(world.run { listener.receivedText.contains("before") })
        revoke(world)
        try post(writer, as: "ben", ["after"])
        #expect(world.run(limitMilliseconds: 1000) { listener.isClosed })
        #expect(!listener.receivedText.contains("after"))
    }

    /// Also if all of an answer is queued, and the client takes it slowly.
    @Test(arguments: [room, room + "/export.csv", "/v1/ws?room=list"], 0..<4 as Range<UInt64>)
    func whatIsQueuedIsNotSent(target: String, seed: UInt64) throws {
        let world = try world(seed)
        let writer = try world.connect()
        let padding = String(repeating: "x", count: 80)
        for part in 0..<60 {
            try post(writer, as: "ben", (0..<100).map { "\(part)-\($0)-\(padding)" })
        }
        let last = "59-99-\(padding)"
        let reader = try begin(target, world)
        #expect(world.run { !reader.end.received.isEmpty })
        reader.end.stream?.isReadingPaused = true
        world.simulation.run(forMilliseconds: 2000)
        revoke(world)
        reader.end.stream?.isReadingPaused = false
        #expect(world.run(limitMilliseconds: 10_000) { reader.isClosed })
        #expect(!reader.receivedText.contains(last))
    }
}
