import SyncHTTP
import Testing

@Suite struct EventStreamTests {
    private func insert(_ id: String, by client: HTTPClient) throws {
        let answer = try client.ask(
            "POST", "/v1/rooms/list/transactions",
            body: #"{"ops":[{"insert":{"item":{"id":"\#(id)"},"to":{"section":"main"}}}]}"#)
        #expect(answer.status == 200)
    }

    private func listen(
        _ world: HTTPWorld, _ query: String = "", _ fields: String = ""
    ) throws -> HTTPClient {
        let client = try world.connect()
        client.send(
            "GET /v1/rooms/list/stream\(query) HTTP/1.1\r\nHost: server\r\n\(fields)\r\n")
        return client
    }

    /// The ids of the events so far, in order.
    private func ids(_ client: HTTPClient) -> [Substring] {
        client.receivedText.split(separator: "\n").filter { $0.hasPrefix("id: ") }
            .map { $0.dropFirst(4) }
    }

    @Test func aStreamBeginsWithTheRoomAndGoesOnWithBatches() throws {
        let world = try HTTPWorld()
        let (writer, reader) = (try world.connect(), try listen(world))
        #expect(world.run { ids(reader).count == 1 })
        #expect(reader.receivedText.contains("event: snapshot\nid: "))
        try insert("milk", by: writer)
        #expect(world.run { ids(reader).count == 2 })
        #expect(reader.receivedText.contains(#"data: {"batch":{"from":0,"to":1,"#))
        #expect(reader.receivedText.contains("text/event-stream"))
    }

    @Test func aStreamGoesOnWhereItEnded() throws {
        let world = try HTTPWorld()
        let (writer, reader) = (try world.connect(), try listen(world))
        try insert("milk", by: writer)
        #expect(world.run { ids(reader).last?.hasSuffix(".1") == true })
        let last = try #require(ids(reader).last)
        reader.close()
        try insert("eggs", by: writer)
        // The header wins against the query.
        let again = try listen(world, "?from=0", "Last-Event-ID: \(last)\r\n")
        #expect(world.run { ids(again).count == 1 })
        #expect(again.receivedText.contains(#"{"batch":{"from":1,"to":2,"#))
        let fromStart = try listen(world, "?from=0")
        #expect(world.run { ids(fromStart).count == 2 })
        #expect(fromStart.receivedText.contains(#"{"batch":{"from":0,"to":2,"#))
    }

    @Test func anotherRoomOfTheNameBeginsAnew() throws {
        let world = try HTTPWorld()
        let (writer, reader) = (try world.connect(), try listen(world))
        try insert("milk", by: writer)
        #expect(world.run { ids(reader).last?.hasSuffix(".1") == true })
        let last = try #require(ids(reader).last)
        #expect(try writer.ask("DELETE", "/v1/rooms/list").status == 204)
        #expect(world.run { reader.receivedText.contains("event: error") })
        let again = try listen(world, "", "Last-Event-ID: \(last)\r\n")
        #expect(world.run { again.receivedText.contains("event: snapshot") })
    }

    @Test(arguments: ["", EventStreamTests.gzip]) func whoIsSlowGetsFewerBatches(
        fields: String
    ) throws {
        let world = try HTTPWorld()
        world.simulation.conditions.socketBufferBytes = 4096
        let (writer, reader) = (try world.connect(), try listen(world, "", fields))
        #expect(world.run { (try? events(reader).text.contains("event: snapshot")) == true })
        reader.end.stream?.isReadingPaused = true
        for number in 1...400 { try insert("item\(number)", by: writer) }
        reader.end.stream?.isReadingPaused = false
        #expect(world.run { (try? events(reader).text.contains("item400\"")) == true })
        let text = try events(reader).text
        let batches = text.split(separator: "\n").filter { $0.contains(#"{"batch":"#) }
        #expect(batches.count < 100, "\(batches.count)")
    }

    /// A browser comes back to the same address before there was an event, and the room is another
    /// one by then.
    @Test(arguments: ["", EventStreamTests.gzip]) func aBeginningHasAnId(fields: String) throws {
        let world = try HTTPWorld()
        let writer = try world.connect()
        for id in ["milk", "eggs"] { try insert(id, by: writer) }
        let reader = try listen(world, "?from=2", fields)
        #expect(world.run { (try? events(reader).text.hasSuffix("\n\n")) == true })
        let text = try events(reader).text
        #expect(text.hasPrefix("id: ") && text.hasSuffix(".2\n\n") && !text.contains("data"))
        let last = try #require(text.split(separator: "\n").first).dropFirst(4)
        #expect(try writer.ask("DELETE", "/v1/rooms/list").status == 204)
        for id in ["a", "b", "c"] { try insert(id, by: writer) }
        let again = try listen(world, "?from=2", "Last-Event-ID: \(last)\r\n")
        #expect(world.run { again.receivedText.contains("event: snapshot") })
    }

    @Test func anIdThatCanNotBeReadIsNoRevision() throws {
        let world = try HTTPWorld()
        try insert("milk", by: try world.connect())
        let reader = try listen(world, "?from=1", "Last-Event-ID: garbage\r\n")
        #expect(world.run { reader.receivedText.contains("event: snapshot") })
    }

    @Test func heartbeatsAreComments() throws {
        let world = try HTTPWorld()
        let reader = try listen(world)
        #expect(world.run { reader.receivedText.contains("\n:\n\n") })
        #expect(!reader.isClosed)
    }

    // MARK: Compressed

    private static let gzip = "Accept-Encoding: gzip\r\n"

    /// The text of a stream so far, and whether the body has its end.
    private func events(_ client: HTTPClient) throws -> (text: String, isWhole: Bool) {
        guard let head = client.received.firstRange(of: Array("\r\n\r\n".utf8)) else {
            return ("", false)
        }
        let body = HTTPClient.chunks(Array(client.received[head.upperBound...])).body
        let isCompressed = client.receivedText.contains("Content-Encoding: gzip\n")
        guard isCompressed else { return (String(decoding: body, as: UTF8.self), false) }
        #expect(client.receivedText.contains("Vary: Accept-Encoding\n"))
        let gunzip = try Gunzip(body)
        return (String(decoding: gunzip.text, as: UTF8.self), gunzip.isWhole)
    }

    @Test(arguments: 0..<3) func aCompressedStreamHasTheSameEvents(seed: UInt64) throws {
        let world = try HTTPWorld(seed: seed)
        let writer = try world.connect()
        // Its snapshot has several parts.
        try CompressionTests.fill(writer, items: 5000)
        let plain = try listen(world, "", "Accept-Encoding: gzip;q=0\r\n")
        let compressed = try listen(world, "", EventStreamTests.gzip)
        for number in 0..<10 {
            world.simulation.run(forMilliseconds: 500)
            try CompressionTests.fill(
                writer, items: number % 3 == 0 ? 100 : 1, prefix: "n\(number)-")
        }
        // One batch that has several parts.
        let late = try listen(world, "?from=1")
        let lateCompressed = try listen(world, "?from=1", EventStreamTests.gzip)
        for client in [plain, compressed, late, lateCompressed] {
            #expect(world.run { (try? events(client).text.contains(#","to":20,"#)) == true })
        }
        world.simulation.run(forMilliseconds: 1000)
        #expect(try events(plain).text == events(compressed).text)
        #expect(try events(plain).text.contains(#"data: {"batch":{"from":19,"to":20,"#))
        #expect(compressed.received.count < plain.received.count)
        #expect(try events(late).text == events(lateCompressed).text)
        #expect(try events(late).text.contains(#"data: {"batch":{"from":1,"#))
    }

    @Test func aCompressedStreamThatTheServerEndsIsWhole() throws {
        let world = try HTTPWorld()
        let (writer, reader) = (try world.connect(), try listen(world, "", EventStreamTests.gzip))
        try CompressionTests.fill(writer, items: 100)
        #expect(try writer.ask("DELETE", "/v1/rooms/list").status == 204)
        #expect(world.run { (try? events(reader).isWhole) == true })
        #expect(try events(reader).text.contains("event: error\ndata: {"))
    }
}
