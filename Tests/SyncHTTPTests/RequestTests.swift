import HTTPSupport
import SyncHTTP
import SyncServer
import Testing

/// Requests and their answers, over a simulated network.
@Suite struct RequestTests {
    private static let insertMilk =
        #"{"ops":[{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}]}"#

    @Test func aTransactionIsCommittedAndRead() throws {
        let client = try HTTPWorld().connect()
        let posted = try client.ask(
            "POST", "/v1/rooms/list/transactions", body: RequestTests.insertMilk)
        #expect(posted.status == 200)
        #expect(posted.text == #"{"ack":{"tx":1,"revision":1}}"# + "\n")
        let snapshot = try client.ask("/v1/rooms/list")
        #expect(snapshot.status == 200)
        #expect(snapshot.text.hasPrefix(#"{"snapshot":{"room":"list","revision":1,"#))
        #expect(snapshot.text.contains(#""items":[{"id":"milk"}]"#))
        let stats = try client.ask("/v1/rooms/list/stats")
        #expect(stats.text.contains(#""items":1,"#))
        let rooms = try client.ask("/v1/rooms")
        #expect(rooms.text.contains(#"{"name":"list","revision":1,"members":"#))
    }

    @Test func anUnchangedRoomIsNotSentAgain() throws {
        let client = try HTTPWorld().connect()
        _ = try client.ask("POST", "/v1/rooms/list/transactions", body: RequestTests.insertMilk)
        let first = try client.ask("/v1/rooms/list")
        let tag = try #require(first.head.fields["ETag"])
        let second = try client.ask("GET", "/v1/rooms/list", ["If-None-Match": tag])
        #expect(second.status == 304)
        #expect(second.body.isEmpty)
        _ = try client.ask(
            "POST", "/v1/rooms/list/transactions",
            body: #"{"ops":[{"delete":{"id":"milk"}}]}"#)
        let third = try client.ask("GET", "/v1/rooms/list", ["If-None-Match": tag])
        #expect(third.status == 200)
        let older = try client.ask("/v1/rooms/list?revision=1")
        #expect(older.text == first.text)
    }

    @Test func thePastIsRead() throws {
        let client = try HTTPWorld().connect()
        for id in ["a", "b", "c"] {
            let posted = try client.ask(
                "POST", "/v1/rooms/list/transactions",
                body: #"{"ops":[{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}]}"#)
            #expect(posted.status == 200)
        }
        let history = try client.ask("/v1/rooms/list/history?from=1")
        #expect(history.text.split(separator: "\n").count == 2)
        #expect(history.text.hasPrefix(#"{"batch":{"from":1,"to":2,"#))
        let batch = try client.ask("/v1/rooms/list/batch?from=0&to=3")
        #expect(batch.text.hasPrefix(#"{"batch":{"from":0,"to":3,"#))
        #expect(try client.ask("/v1/rooms/list/batch?from=3&to=3").status == 204)
    }

    @Test func itemsAreReadByPages() throws {
        let client = try HTTPWorld().connect()
        for id in ["a", "b", "c"] {
            _ = try client.ask(
                "POST", "/v1/rooms/list/transactions",
                body:
                    #"{"ops":[{"insert":{"item":{"id":"\#(id)","fields":{"title":"Item \#(id)"}},"to":{"section":"main"}}}]}"#
            )
        }
        let first = try client.ask("/v1/rooms/list/items?limit=2")
        #expect(
            first.text.contains(#""sectionID":"main","section":0,"item":1,"content":{"id":"b""#))
        #expect(first.text.hasSuffix(#""next":"b"}"# + "\n"))
        let second = try client.ask("/v1/rooms/list/items?after=b&limit=2")
        #expect(second.text.contains(#""item":2,"content":{"id":"c""#))
        #expect(!second.text.contains("next"))
        let found = try client.ask("/v1/rooms/list/search?q=item%20C")
        #expect(found.text.contains(#""id":"c""#))
        #expect(!found.text.contains(#""id":"a""#))
        let single = try client.ask("/v1/rooms/list/items/b")
        #expect(single.text.hasPrefix(#"{"sectionID":"main","section":0,"item":1,"#))
        #expect(try client.ask("/v1/rooms/list/items/milk").status == 404)
        #expect(try client.ask("/v1/rooms/list/search?q=").status == 400)
    }

    /// What is long is written on a worker: one job encodes it for the session, another writes it.
    @Test(arguments: ["", "/a"], [100, 10_000])
    func aLongPageTakesAWorker(path: String, count: Int) throws {
        let world = try HTTPWorld { $0.turnSteps = 32_768 }
        let room = HTTPRoom(client: try world.connect(), name: "list")
        let text = String(repeating: "x", count: count)
        try room.post([
            #"{"insert":{"item":{"id":"a","fields":{"t":"\#(text)"}},"to":{"section":"main"}}}"#
        ])
        world.simulation.conditions.jobMicroseconds = 10_000_000...10_000_000
        let begin = world.simulation.nowMicroseconds
        #expect(try room.client.ask(room.path + "/items" + path).text.contains(text))
        let jobs = (world.simulation.nowMicroseconds - begin) / 10_000_000
        #expect(jobs == (count == 100 ? 0 : 2))
    }

    @Test func refusalsSayWhy() throws {
        let client = try HTTPWorld { $0.storage.createsRooms = false }.connect()
        func expect(_ status: Int, _ code: String, _ answer: HTTPClient.Answer) {
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.text.contains(#""code":"\#(code)""#), "\(answer.text)")
        }
        expect(404, "notFound", try client.ask("/v1/nothing"))
        expect(405, "unsupported", try client.ask("PUT", "/v1/rooms/list/stats"))
        expect(404, "roomNotFound", try client.ask("/v1/rooms/list"))
        expect(400, "badMessage", try client.ask("/v1/rooms/list?depth=1"))
        expect(400, "badMessage", try client.ask("/v1/rooms/list?revision=x"))
        expect(400, "badMessage", try client.ask("/v1/rooms/list/history"))
        expect(
            400, "malformed", try client.ask("POST", "/v1/rooms/list/transactions", body: "{"))
        expect(
            404, "roomNotFound",
            try client.ask("POST", "/v1/rooms/list/transactions", body: RequestTests.insertMilk))
        expect(401, "badToken", try client.ask("GET", "/v1/rooms", ["Authorization": "Basic eA=="]))
    }

    @Test func aRejectedTransactionIsNoError() throws {
        let client = try HTTPWorld().connect()
        let answer = try client.ask(
            "POST", "/v1/rooms/list/transactions", body: #"{"ops":[{"delete":{"id":"milk"}}]}"#)
        #expect(answer.status == 422)
        #expect(answer.text.contains(#"{"reject":{"tx":1,"op":0,"code":"unknownItem""#))
    }

    /// The bases of an author's transactions must not descend, but requests have nothing to do with
    /// each other.
    @Test func basesMayDescend() throws {
        let client = try HTTPWorld().connect()
        for (base, id) in [(0, "a"), (1, "b"), (0, "c")] {
            let answer = try client.ask(
                "POST", "/v1/rooms/list/transactions",
                body:
                    #"{"ops":[{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}],"base":\#(base)}"#
            )
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    /// It is made at once; workers make the text of the others.
    @Test func aLargeRoomBeginsWithASmallPart() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        let inserts = (0..<3000)
            .map { #"{"insert":{"item":{"id":"i\#($0)"},"to":{"section":"main"}}}"# }
        let posted = try client.ask(
            "POST", "/v1/rooms/list/transactions",
            body: #"{"ops":[\#(inserts.joined(separator: ","))]}"#)
        #expect(posted.status == 200, "\(posted.text)")
        client.send("GET /v1/rooms/list HTTP/1.1\r\nHost: server\r\n\r\n")
        #expect(world.run { client.receivedText.hasSuffix("\n0\n\n") })
        let text = client.receivedText
        let start = try #require(text.firstRange(of: "\n\n")).upperBound
        let size = text[start...].prefix { $0 != "\n" }
        let first = try #require(Int(size, radix: 16))
        #expect((4 << 10..<16 << 10).contains(first), "\(first) of \(text.count) bytes")
    }

    @Test func aTransactionIsBasedOnTheRoomAsItIs() throws {
        let world = try HTTPWorld()
        let (first, second) = (try world.connect(), try world.connect())
        _ = try first.ask(
            "POST", "/v1/rooms/list/transactions", body: RequestTests.insertMilk)
        for (client, id, index) in [(second, "b", 0), (first, "c", 1)] {
            let place = #"{"section":"main","index":\#(index)}"#
            let inserted = try client.ask(
                "POST", "/v1/rooms/list/transactions",
                body: #"{"ops":[{"insert":{"item":{"id":"\#(id)"},"to":\#(place)}}]}"#)
            #expect(inserted.status == 200)
        }
        let room = try first.ask("/v1/rooms/list").text
        #expect(room.contains(#"[{"id":"b"},{"id":"c"},{"id":"milk"}]"#), "\(room)")
    }

    @Test func aRoomIsLeftAfterATransaction() throws {
        let client = try HTTPWorld().connect()
        _ = try client.ask("POST", "/v1/rooms/list/transactions", body: RequestTests.insertMilk)
        let stats = try client.ask("/v1/rooms/list/stats")
        #expect(stats.text.contains(#""members":0,"#), "\(stats.text)")
        #expect(try client.ask("DELETE", "/v1/rooms/list").status == 204)
        #expect(try client.ask("/v1/rooms/list").status == 404)
    }

    @Test func aHeadHasNoBody() throws {
        let client = try HTTPWorld().connect()
        let whole = try client.ask("/healthz")
        let head = try client.ask("HEAD", "/healthz")
        #expect(head.status == 200)
        #expect(head.head.fields["Content-Length"] == "\(whole.body.count)")
        #expect(try client.ask("/readyz").status == 200)
    }

    @Test func whatIsNoTransactionIsSaidSo() throws {
        let client = try HTTPWorld().connect()
        let target = "/v1/rooms/list/transactions"
        let numbered = try client.ask("POST", target, body: #"{"ops":[],"tx":5}"#)
        #expect(numbered.status == 400 && numbered.text.contains("tx: a request has no number"))
        let coded = try client.ask(
            "POST", target, ["Content-Encoding": "gzip"], body: #"{"ops":[]}"#)
        #expect(coded.status == 415 && coded.head.fields["Accept-Encoding"] == "identity")
        let named = try client.ask("/v1/rooms/a%0Ab")
        #expect(named.status == 400 && named.text.contains("badRoomName"))
    }

    @Test func aDeletedRoomIsGone() throws {
        let client = try HTTPWorld().connect()
        _ = try client.ask("POST", "/v1/rooms/list/transactions", body: RequestTests.insertMilk)
        #expect(try client.ask("DELETE", "/v1/rooms/list").status == 204)
        #expect(try client.ask("/v1/rooms").text == #"{"rooms":[]}"# + "\n")
    }

    /// What is small as text may be longer as the server's own message.
    @Test func aTransactionThatIsTooLongInTheEndIsRejected() throws {
        let client = try HTTPWorld { $0.wire.transactionBytes = 64 << 10 }.connect()
        let numbers = String(repeating: "1e9,", count: 15_000)
        let item = #"{"id":"a","fields":{"numbers":[\#(numbers)0]}}"#
        let long = try client.ask(
            "POST", "/v1/rooms/list/transactions",
            body: #"{"ops":[{"insert":{"item":\#(item),"to":{"section":"main"}}}]}"#)
        #expect(long.status == 422 && long.text.contains("of 65536 bytes"), "\(long.text)")
        let next = try client.ask(
            "POST", "/v1/rooms/list/transactions", body: RequestTests.insertMilk)
        #expect(next.status == 200)
    }

    /// What is small as text may take many times as much while it is read.
    @Test func aTransactionHasFewValuesForItsLength() throws {
        let world = try HTTPWorld()
        func post(_ value: String) throws -> HTTPClient.Answer {
            let item = #"{"id":"a","fields":{"title":\#(value)}}"#
            // A body that is refused before its end also ends its connection.
            return try world.connect().ask(
                "POST", "/v1/rooms/list/transactions",
                body: #"{"ops":[{"insert":{"item":\#(item),"to":{"section":"main"}}}]}"#)
        }
        let objects = String(repeating: "{},", count: 700_000)
        let heavy = try post("[\(objects){}]")
        #expect(heavy.status == 413 && heavy.text.contains("make several"), "\(heavy.text)")
        // The same bytes as a text are one value.
        #expect(try post("\"\(objects.prefix(100_000))\"").status == 200)
    }
}
