import ServerSupport
import SyncServer
import Testing

@testable import SyncHTTP

/// Work for requests is done in the turn of the user who asks.
@Suite struct UserTurnTests {
    private static let path = "/v1/rooms/list"
    private static let content =
        #"{"sections":[{"id":"main","items":[{"id":"a","fields":{"title":"Milk"}}]}]}"#
    private static let layout =
        #"{"layout":{"kind":"flow"},"bounds":{"width":320},"sections":[{"count":1}]}"#

    /// A request whose answer a worker makes.
    struct Request: CustomTestStringConvertible {
        var method = "GET"
        var target: String
        var body = ""

        var testDescription: String { "\(method) \(target)" }

        /// What a client sends who asks for it as a user.
        func text(as user: String) -> String {
            "\(method) \(target) HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer "
                + PlainTokens.token(user) + "\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
        }
    }

    private static let requests = [
        Request(method: "POST", target: "/v1/layout", body: layout),
        Request(target: path + "/layout.svg?kind=flow"),
        Request(target: path + "/export.csv"),
        Request(method: "POST", target: path + "/import?append=true", body: content),
    ]

    /// Whoever asks for much has one job after the other, and somebody else's comes between them.
    @Test(arguments: requests, 0..<6 as Range<UInt64>)
    func usersTakeTurns(request: Request, seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed) {
            $0.tokens = TokenAuthentication(PlainTokens())
            $0.tokens?.areTakenFromAnywhere = true
        }
        func connect(_ user: String) throws -> HTTPClient {
            let client = try world.connect()
            let token = PlainTokens.token(user)
            let answer = try client.ask("GET", "/v1/rooms", ["Authorization": "Bearer \(token)"])
            #expect(answer.status == 200)
            return client
        }
        let greedy = try (0..<20).map { _ in try connect("ann") }
        let other = try connect("ben")
        greedy[0].send(
            Request(method: "POST", target: Self.path + "/import", body: Self.content)
                .text(as: "ann"))
        #expect(try greedy[0].takeAnswer().status == 200)
        world.simulation.conditions.jobMicroseconds = 1_000_000...1_000_000
        func answered() -> Int { greedy.count { !$0.end.received.isEmpty } }
        for client in greedy { client.send(request.text(as: "ann")) }
        #expect(world.run { answered() >= 1 })
        let before = answered()
        other.send(request.text(as: "ben"))
        #expect(world.run { !other.end.received.isEmpty })
        #expect(answered() <= before + 2, "seed \(seed)")
        #expect(world.run(limitMilliseconds: 600_000) { answered() == greedy.count })
        #expect(try other.takeAnswer().status == 200)
        #expect(try greedy.allSatisfy { try $0.takeAnswer().status == 200 })
    }
}
