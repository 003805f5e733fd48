import SyncHTTP
import SyncRoom
import SyncServer
import SyncWebSocket
import Testing

/// Members that speak in lines on a WebSocket.
@Suite struct LineSocketTests {
    private func join(
        _ world: HTTPWorld, _ query: String = "", from source: String? = nil
    ) throws -> HTTPClient {
        try world.connect(
            from: source,
            by: WebSocketClient(target: "/v1/ws?room=list\(query)", host: "server", .lines))
    }

    private func insert(_ id: String) -> String {
        #"{"ops":[{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}]}"# + "\n"
    }

    @Test(arguments: 0..<6) func membersSeeEachOthersEdits(seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed)
        let (first, second) = (try join(world), try join(world))
        #expect(world.run { first.receivedText.contains(#"{"snapshot":"#) })
        #expect(world.run { second.receivedText.contains(#"{"snapshot":"#) })
        for number in 0..<40 {
            (number % 2 == 0 ? first : second).send(insert("item\(number)"))
        }
        for client in [first, second] {
            #expect(
                world.run {
                    (0..<40).allSatisfy { client.receivedText.contains(#""id":"item\#($0)"}"#) }
                        && client.receivedText.split(separator: "\n").count {
                            $0.hasPrefix(#"{"ack":"#)
                        } == 20
                })
        }
    }

    @Test func aLineThatCanNotBeReadIsAnError() throws {
        let world = try HTTPWorld()
        let client = try join(world)
        #expect(world.run { client.receivedText.contains(#"{"snapshot":"#) })
        client.send("nonsense\n")
        #expect(world.run { client.receivedText.contains(#""line":1}"#) })
        client.send(String(repeating: " ", count: 200_000) + "\n" + insert("milk"))
        #expect(world.run { client.receivedText.contains(#"{"ack":"#) })
        #expect(client.receivedText.contains("a line has at most"))
    }

    /// The client's program says nothing by itself; its WebSocket answers pings.
    @Test func aSilentMemberStays() throws {
        let world = try HTTPWorld()
        let client = try join(world)
        #expect(world.run { client.receivedText.contains(#"{"snapshot":"#) })
        #expect(!world.run(limitMilliseconds: 300_000) { client.isClosed })
        client.send(insert("milk"))
        #expect(world.run { client.receivedText.contains(#"{"ack":"#) })
    }

    /// The session reads on only when transactions are answered. Meanwhile lines wait with the
    /// client, and not with the server.
    @Test func linesWaitForAnswers() throws {
        let world = try HTTPWorld { configuration in
            configuration.wire.unansweredTransactions = 8
            configuration.connections.maximumBytes = 1 << 20
        }
        let client = try join(world)
        #expect(world.run { client.receivedText.contains(#"{"snapshot":"#) })
        // To be durable takes this long.
        world.simulation.conditions.mailDelayMicroseconds = 20_000...20_000
        let text = String(repeating: "x", count: 2000)
        client.send(insert("milk"))
        for number in 0..<1500 {
            let update = #"{"update":{"id":"milk","set":{"title":"\#(number) \#(text)"}}}"#
            client.send(#"{"ops":[\#(update)]}"# + "\n")
        }
        world.simulation.run(forMilliseconds: 60_000)
        #expect(client.receivedText.contains(#"{"ack":{"tx":1501"#))
        #expect(!client.isClosed)
    }

    /// The session does not read for a while, and has nothing to say when it reads on.
    @Test func linesAreReadAtARate() throws {
        let world = try HTTPWorld { $0.addresses.transactions = Rate(perSecond: 100) }
        let client = try join(world, "&viewOnly=true", from: "192.0.2.1")
        client.send((0..<2000).map { insert("item\($0)") }.joined())
        world.simulation.run(forMilliseconds: 5000)
        let early = client.receivedText.split(separator: "\n").count { $0.hasPrefix(#"{"ack":"#) }
        #expect((400...1000).contains(early), "\(early)")
        world.simulation.run(forMilliseconds: 20_000)
        #expect(client.receivedText.contains(#"{"ack":{"tx":2000"#))
    }

    @Test func aMemberIsToldThatTheServerEnds() throws {
        let world = try HTTPWorld()
        let client = try join(world)
        #expect(world.run { client.receivedText.contains(#"{"snapshot":"#) })
        world.server?.drain()
        #expect(world.run { client.isClosed })
        #expect(client.receivedText.contains(#""code":"shuttingDown""#))
    }

    @Test func aRoomMustBeNamed() throws {
        let client = try HTTPWorld().connect()
        let answer = try client.ask(
            "GET", "/v1/ws",
            [
                "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Protocol": "collsync.v1.json",
            ])
        #expect(answer.status == 400)
    }

    @Test func pagesOfOtherOriginsAreRefused() throws {
        let world = try HTTPWorld()
        for (origin, status) in [("https://server", 101), ("https://evil.example", 403)] {
            let answer = try world.connect().ask(
                "GET", "/v1/ws?room=list",
                [
                    "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                    "Sec-WebSocket-Protocol": "collsync.v1.json", "Origin": origin,
                ])
            #expect(answer.status == status)
        }
    }
}
