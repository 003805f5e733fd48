import SyncHTTP
import SyncServer
import Testing

/// What a connection may do, and what it may not do to others.
@Suite struct ConnectionTests {
    @Test(arguments: 0..<6) func pipelinedRequestsAreAnsweredInOrder(seed: UInt64) throws {
        let client = try HTTPWorld(seed: seed).connect()
        let count = 400
        var text = ""
        for number in 0..<count {
            let target = number % 3 == 0 ? "/healthz" : "/v1/rooms/room\(number)/stats"
            text += "GET \(target) HTTP/1.1\r\nHost: server\r\n\r\n"
        }
        client.send(text)
        for number in 0..<count {
            let answer = try client.takeAnswer()
            let wanted = number % 3 == 0 ? #""ok""# : "'room\(number)'"
            #expect(answer.text.contains(wanted), "\(number): \(answer.text)")
        }
    }

    /// The head of a response may be read before the server is done with its body, which it drops.
    @Test(arguments: 0..<12) func requestsBehindOneForAHeadAreAnswered(seed: UInt64) throws {
        let client = try HTTPWorld(seed: seed).connect()
        let item = #"{"insert":{"item":{"id":"a"},"to":{"section":"main"}}}"#
        #expect(
            try client.ask("POST", "/v1/rooms/list/transactions", body: #"{"ops":[\#(item)]}"#)
                .status == 200)
        for route in ["", "/history?from=0", "/batch?from=0&to=1", "/items", "/stats"] {
            let text = " /v1/rooms/list\(route) HTTP/1.1\r\nHost: server\r\n\r\n"
            client.send("HEAD" + text + "GET" + text)
            #expect(try client.takeAnswer(isHeadAlone: true).status == 200)
            #expect(try client.takeAnswer().status == 200, "\(route)")
            #expect(try client.ask("HEAD", "/v1/rooms/list\(route)").status == 200)
            #expect(try client.ask("/v1/rooms/list\(route)").status == 200, "\(route)")
        }
    }

    @Test func aRequestThatCanNotBeReadEndsTheConnection() throws {
        let client = try HTTPWorld().connect()
        client.send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\nGET /healthz HTTP/1.1\r\n")
        let answer = try client.takeAnswer()
        #expect(answer.status == 400)
        #expect(answer.head.fields["Connection"] == "close")
        #expect(client.world.run { client.isClosed })
    }

    @Test func aConnectionIsClosedWhenAskedFor() throws {
        let client = try HTTPWorld().connect()
        let answer = try client.ask("GET", "/healthz", ["Connection": "close"])
        #expect(answer.head.fields["Connection"] == "close")
        #expect(client.world.run { client.isClosed })
    }

    @Test func aSlowRequestTimesOut() throws {
        let client = try HTTPWorld().connect()
        client.send("GET /healthz HT")
        #expect(try client.takeAnswer().status == 408)
        #expect(client.world.run { client.isClosed })
    }

    @Test func anIdleConnectionIsClosed() throws {
        let client = try HTTPWorld().connect()
        _ = try client.ask("/healthz")
        #expect(client.world.run(limitMilliseconds: 90_000) { client.isClosed })
        #expect(client.received.isEmpty)
    }

    @Test func aClientIsToldToSendTheBody() throws {
        let client = try HTTPWorld().connect()
        let body = #"{"ops":[{"insert":{"item":{"id":"a"},"to":{"section":"main"}}}]}"#
        client.send(
            "POST /v1/rooms/list/transactions HTTP/1.1\r\nHost: a\r\n"
                + "Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.takeAnswer().status == 100)
        client.send(body)
        #expect(try client.takeAnswer().status == 200)
        #expect(try client.ask("/healthz").status == 200)
    }

    @Test func anAnsweredRequestGetsNoSecondAnswer() throws {
        let client = try HTTPWorld().connect()
        client.send("POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
        #expect(try client.takeAnswer().status == 404)
        #expect(client.world.run { client.isClosed })
        #expect(client.received.isEmpty, "\(client.receivedText)")
    }

    @Test func aBodyThatIsNotWantedNeedNotCome() throws {
        let client = try HTTPWorld().connect()
        client.send(
            "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n"
                + "Expect: 100-continue\r\n\r\n")
        let answer = try client.takeAnswer()
        #expect(answer.status == 404)
        #expect(answer.head.fields["Connection"] == "close")
        #expect(client.world.run { client.isClosed })
    }

    @Test func aBodyThatIsTooLongIsRefused() throws {
        let client = try HTTPWorld { $0.wire.transactionBytes = 1000 }.connect()
        let answer = try client.ask(
            "POST", "/v1/rooms/list/transactions",
            body: String(repeating: " ", count: 200_000))
        #expect(answer.status == 413)
        #expect(client.world.run { client.isClosed })
    }

    @Test func tooManyConnectionsOfAnAddressAreRefused() throws {
        let world = try HTTPWorld { $0.addresses.connections = 1 }
        let first = try world.connect(from: "192.0.2.1")
        _ = try first.ask("/healthz")
        let second = try world.connect(from: "192.0.2.1")
        #expect(try second.takeAnswer().status == 429)
        #expect(world.run { second.isClosed })
        #expect(try first.ask("/healthz").status == 200)
    }

    /// The session of the requests before has no use any more.
    @Test(arguments: ["collsync.v1", "collsync.v1.json"])
    func aWebSocketEndsTheSessionBefore(_ kind: String) throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        #expect(try client.ask("/v1/rooms").status == 200)
        let answer = try client.ask(
            "GET", "/v1/ws?room=list",
            [
                "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": kind,
            ])
        #expect(answer.status == 101)
        #expect(world.run { !world.log.lines("a connection is closed").isEmpty })
        #expect(!client.isClosed)
    }

    @Test func aServerThatEndsClosesConnections() throws {
        let world = try HTTPWorld()
        let (idle, stream) = (try world.connect(), try world.connect())
        _ = try idle.ask("/v1/rooms/list/stats")
        stream.send("GET /v1/rooms/list/stream HTTP/1.1\r\nHost: server\r\n\r\n")
        #expect(world.run { stream.receivedText.contains("event: snapshot") })
        world.server?.drain()
        #expect(world.run { idle.isClosed && stream.isClosed })
        #expect(stream.receivedText.contains("event: error"))
    }
}
