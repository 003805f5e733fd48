import SyncAccess
import SyncBytes
import SyncHTTP
import SyncModel
import SyncServer
import Testing

/// Transactions that follow one another on a connection, whose session stays in the room for them.
@Suite struct RoomStayTests {
    /// Everybody may edit, but for `eve`.
    private struct Roles: TokenVerifier {
        func verify(_ token: ForeignText, at seconds: UInt64) throws(TokenFailure) -> Access {
            Access(
                user: UserName(stringLiteral: token.shown),
                grants: [
                    Grant(token.isSame(as: "eve") ? .viewer : .admin, in: .all)
                ])
        }

        func knowsKey(_ id: Identifier, mark: UInt64) -> Bool { true }
    }

    private let world: HTTPWorld
    private let client: HTTPClient
    private let other: HTTPClient

    init() throws {
        world = try HTTPWorld()
        client = try world.connect()
        other = try world.connect()
    }

    private static func insertion(of id: String) -> String {
        #"{"ops":[{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}]}"#
    }

    /// Inserts an item, and returns the answer.
    @discardableResult
    private func post(
        _ id: String, to room: String = "list", _ fields: KeyValuePairs<String, String> = [:],
        by client: HTTPClient? = nil
    ) throws -> HTTPClient.Answer {
        try (client ?? self.client).ask(
            "POST", "/v1/rooms/\(room)/transactions", fields,
            body: RoomStayTests.insertion(of: id))
    }

    /// Whether the session of the first client is in a room, as the other client sees it.
    private func isIn(_ room: String = "list") throws -> Bool {
        let stats = try other.ask("/v1/rooms/\(room)/stats").text
        #expect(stats.contains(#""members":0,"#) || stats.contains(#""members":1,"#), "\(stats)")
        return stats.contains(#""members":1,"#)
    }

    private func wait(_ milliseconds: UInt64) {
        _ = world.run(limitMilliseconds: milliseconds) { false }
    }

    @Test func theNextTransactionFindsItThere() throws {
        for number in 1...3 {
            let answer = try post("i\(number)")
            #expect(answer.text == #"{"ack":{"tx":\#(number),"revision":\#(number)}}"# + "\n")
            #expect(try isIn())
        }
    }

    @Test func itLeavesWhenNothingMoreComes() throws {
        try post("a")
        wait(2 * 250 + 50)
        #expect(try !isIn())
        #expect(try post("b").text.contains(#""revision":2"#))
        // The timer of the first stay does not end the second one.
        for id in ["c", "d", "e", "f", "g", "h"] {
            wait(200)
            #expect(try isIn(), "before \(id)")
            try post(id)
        }
        wait(2 * 250 + 50)
        #expect(try !isIn())
    }

    @Test func itLeavesForAnythingElse() throws {
        try post("a")
        try post("b", to: "second")
        #expect(try !isIn())
        #expect(try isIn("second"))
        _ = try client.ask("/v1/rooms/second/stats")
        #expect(try !isIn("second"))
        try post("c")
        #expect(try post("d", ["Idempotency-Key": "d"]).text.contains(#""tx":1,"revision":3"#))
        #expect(try !isIn())
        #expect(try post("e").text.contains(#""tx":2,"revision":4"#))
        #expect(try isIn())
        let rejected = try client.ask(
            "POST", "/v1/rooms/list/transactions", body: #"{"ops":[{"delete":{"id":"x"}}]}"#)
        #expect(rejected.status == 422)
        #expect(try !isIn())
        #expect(try post("f").text.contains(#""revision":5"#))
    }

    @Test func itLeavesWithItsConnection() throws {
        try post("a")
        client.close()
        wait(50)
        #expect(try !isIn())
    }

    @Test func theRoomMayBeDeletedMeanwhile() throws {
        try post("a")
        #expect(try other.ask("DELETE", "/v1/rooms/list").status == 204)
        let answer = try post("b")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.text.contains(#""revision":1"#))
        #expect(try isIn())
        // Its timer is of the present stay.
        wait(2 * 250 + 50)
        #expect(try !isIn())
    }

    /// That the server removes it from a room is no mistake of a client.
    @Test func itLeavesNoRoomThatHasRemovedIt() throws {
        try post("a")
        #expect(try other.ask("DELETE", "/v1/rooms/list").status == 204)
        wait(2 * 250 + 50)
        let metrics = try world.connect(to: .metrics).ask("/metrics").text
        #expect(metrics.contains(#"collsync_errors_total{code="unknownRoom"} 0"#))
    }

    @Test func theServerMayGoDownMeanwhile() throws {
        try post("a")
        world.server?.drain()
        #expect(world.run { client.isClosed })
    }

    @Test func aRoomOfAnotherLoopIsAskedHowFarItIs() throws {
        let world = try HTTPWorld { $0.threads = 3 }
        let (client, other) = (try world.connect(), try world.connect())
        for room in ["one", "two", "three", "four", "five"] {
            for id in ["a", "b", "c"] {
                for client in [client, other] {
                    let item = "\(id)\(client === other ? 1 : 0)"
                    let place = #"{"section":"main","index":0}"#
                    let answer = try client.ask(
                        "POST", "/v1/rooms/\(room)/transactions",
                        body: #"{"ops":[{"insert":{"item":{"id":"\#(item)"},"to":\#(place)}}]}"#)
                    #expect(answer.status == 200, "\(answer.text)")
                }
            }
            let text = try client.ask("/v1/rooms/\(room)").text
            let ids = ["c1", "c0", "b1", "b0", "a1", "a0"].map { #"{"id":"\#($0)"}"# }
            #expect(text.contains(ids.joined(separator: ",")), "\(text)")
        }
    }

    @Test func whoComesNextActsAsThemselves() throws {
        let world = try HTTPWorld {
            $0.tokens = TokenAuthentication(Roles())
            $0.tokens?.areTakenFromAnywhere = true
        }
        let client = try world.connect()
        func post(_ id: String, as user: String) throws -> Int {
            try self.post(id, ["Authorization": "Bearer \(user)"], by: client).status
        }
        #expect(try post("a", as: "ann") == 200)
        #expect(try post("b", as: "eve") == 403)
        #expect(try post("c", as: "ann") == 200)
        let room = try client.ask("GET", "/v1/rooms/list", ["Authorization": "Bearer eve"]).text
        #expect(room.contains(#""revision":2,"#), "\(room)")
    }
}
