import HTTPSupport
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
        for route in [
            "", "/history?from=0", "/batch?from=0&to=1", "/items", "/stats", "/export.csv",
        ] {
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

    /// Whoever asks on over such a connection would get no answer.
    @Test func anAnswerBeforeALongBodySaysThatItEndsTheConnection() throws {
        let lengths = ["Content-Length: 100000", "Transfer-Encoding: chunked"]
        for (target, status) in [("nothing", 404), ("transactions", 413)] {
            for length in lengths {
                let world = try HTTPWorld { $0.wire.transactionBytes = 1000 }
                let client = try world.connect()
                client.send(
                    "POST /v1/rooms/list/\(target) HTTP/1.1\r\nHost: a\r\n\(length)\r\n\r\n"
                        + "7D1\r\n" + String(repeating: " ", count: 2001) + "\r\n")
                let answer = try client.takeAnswer()
                #expect(answer.status == status)
                #expect(answer.head.fields["Connection"] == "close", "\(target), \(length)")
                #expect(world.run { client.isClosed })
            }
        }
    }

    @Test func theRestOfAShortBodyIsDropped() throws {
        let client = try HTTPWorld().connect()
        client.send("POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n")
        let answer = try client.takeAnswer()
        #expect(answer.status == 404 && answer.head.fields["Connection"] == nil)
        client.send(String(repeating: "x", count: 60_000))
        #expect(try client.ask("/healthz").status == 200)
    }

    @Test func aBodyThatIsTooLongIsRefused() throws {
        let client = try HTTPWorld { $0.wire.transactionBytes = 1000 }.connect()
        let answer = try client.ask(
            "POST", "/v1/rooms/list/transactions",
            body: String(repeating: " ", count: 200_000))
        #expect(answer.status == 413)
        #expect(client.world.run { client.isClosed })
    }

    @Test func aBodyThatSaysThatItIsTooLongNeedNotCome() throws {
        let client = try HTTPWorld().connect()
        client.send(
            "POST /v1/rooms/list/transactions HTTP/1.1\r\nHost: a\r\n"
                + "Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.takeAnswer().status == 413)
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

    private static func upgrade(to kind: String) -> String {
        "GET /v1/ws?room=list HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Protocol: \(kind)\r\n\r\n"
    }

    @Test(arguments: 0..<6) func aWebSocketComesBehindTheAnswersBefore(seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed)
        for kind in ["collsync.v1", "collsync.v1.json"] {
            for count in 14..<36 {
                let client = try world.connect()
                let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
                client.send(
                    String(repeating: request, count: count) + ConnectionTests.upgrade(to: kind))
                for _ in 0..<count { #expect(try client.takeAnswer().status == 200) }
                #expect(try client.takeAnswer().status == 101)
                client.close()
            }
        }
    }

    @Test(arguments: ["/v1/layout", "/v1/rooms/list/transactions", "/v1/rooms/list/import"])
    func aBodyThatCanNotBeReadIsRefused(_ target: String) throws {
        let client = try HTTPWorld().connect()
        client.send(
            "POST \(target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        let answer = try client.takeAnswer()
        #expect(answer.status == 400 && answer.head.fields["Connection"] == "close")
        #expect(client.world.run { client.isClosed })
        #expect(client.received.isEmpty)
    }

    @Test func anAnsweredRequestWhoseBodyCanNotBeReadGetsNoSecondAnswer() throws {
        let client = try HTTPWorld().connect()
        client.send(
            "GET /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        #expect(try client.takeAnswer().status == 200)
        #expect(client.world.run { client.isClosed })
        #expect(client.received.isEmpty, "\(client.receivedText)")
    }

    /// What a connection may not hold is refused, or ends it, and nothing else.
    @Test func answersThatTakeTooMuchMemory() throws {
        let world = try HTTPWorld { $0.connections.maximumBytes = 1 << 20 }
        let first = try world.connect()
        let text = String(repeating: "\\u0001", count: 4000)
        for start in stride(from: 0, to: 60, by: 10) {
            let inserts = (start..<start + 10).map {
                #"{"insert":{"item":{"id":"item\#($0)","fields":{"t":"\#(text)"}},"#
                    + #""to":{"section":"main"}}}"#
            }
            let answer = try first.ask(
                "POST", "/v1/rooms/list/transactions",
                body: #"{"ops":["# + inserts.joined(separator: ",") + "]}")
            #expect(answer.status == 200)
        }
        var statuses: [Int?] = []
        for gzip in ["", "Accept-Encoding: gzip\r\n"] {
            // An item is less than compression takes.
            for count in 30...60 {
                let client = try world.connect()
                client.send(
                    "GET /v1/rooms/list/items?limit=\(count) HTTP/1.1\r\nHost: a\r\n\(gzip)\r\n")
                #expect(world.run { client.receivedText.contains("\n\n") || client.isClosed })
                statuses.append(Int(client.receivedText.dropFirst(9).prefix(3)))
                client.close()
            }
        }
        #expect(statuses.contains(200) && statuses.contains(429), "\(statuses)")
        #expect(try world.connect().ask("/healthz").status == 200)
    }

    /// The session of the requests before has no use any more.
    @Test(arguments: ["collsync.v1", "collsync.v1.json"])
    func aWebSocketEndsTheSessionBefore(_ kind: String) throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        #expect(try client.ask("/v1/rooms").status == 200)
        client.send(ConnectionTests.upgrade(to: kind))
        #expect(try client.takeAnswer().status == 101)
        #expect(
            world.run(limitMilliseconds: 1000) {
                !world.log.lines("a connection is closed").isEmpty
            })
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

    /// They do not keep the others waiting, either.
    @Test func aServerThatEndsWaitsForNoClient() throws {
        let world = try HTTPWorld()
        let (body, lines) = (try world.connect(), try world.connect())
        body.send(
            "POST /v1/rooms/list/transactions HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{")
        // It answers no closing frame.
        lines.send(ConnectionTests.upgrade(to: "collsync.v1.json"))
        #expect(world.run { lines.receivedText.contains(#"{"snapshot":"#) })
        world.server?.drain()
        #expect(world.run(limitMilliseconds: 3000) { body.isClosed && lines.isClosed })
        #expect(try body.takeAnswer().status == 503)
    }

    /// A head has no events, and nobody waits for them.
    @Test func theHeadOfAStreamEndsAtOnce() throws {
        let client = try HTTPWorld().connect()
        let answer = try client.ask("HEAD", "/v1/rooms/list/stream")
        #expect(answer.head.fields["Content-Type"] == "text/event-stream")
        #expect(try client.ask("/healthz").status == 200)
    }
}
