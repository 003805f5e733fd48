import SyncBytes
import SyncServer
import Testing

/// Requests that belong to traces, by the header `traceparent`.
@Suite struct TraceTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "b7ad6b7169203331"
    private static let field = "00-\(trace)-\(parent)-01"
    private static let insert = #"{"ops":[{"insert":{"item":{"id":"a"},"to":{"section":"main"}}}]}"#

    private func post(
        _ client: HTTPClient, to room: String = "list", _ field: String = field,
        body: String = insert
    ) throws -> Int {
        try client.ask(
            "POST", "/v1/rooms/\(room)/transactions", ["traceparent": field], body: body
        ).status
    }

    private func answered(_ world: HTTPWorld) -> [[String: String]] {
        world.log.lines("a request is answered")
    }

    private func committed(_ world: HTTPWorld) -> [[String: String]] {
        world.log.lines("transactions with traces are committed")
    }

    /// Some of the rooms are on another loop than their connection.
    @Test(arguments: [1, 2]) func itStandsInTheLinesOfRequestAndCommit(threads: Int) throws {
        let world = try HTTPWorld { $0.threads = threads }
        let client = try world.connect()
        for number in 0..<6 {
            #expect(try post(client, to: "room\(number)") == 200)
            #expect(try post(client, to: "room\(number)", body: #"{"ops":[]}"#) == 200)
        }
        #expect(committed(world).count >= 6)
        for number in 0..<6 {
            let line = committed(world).first { $0["room"] == "room\(number)" }
            #expect(line?["revisions"] == "1")
            #expect(line?["traces"] == Self.trace)
        }
        let first = try #require(answered(world).first)
        #expect(first["route"] == "transactions" && first["status"] == "200")
        #expect(first["trace"] == Self.trace && first["parent"] == Self.parent)
    }

    /// Each transaction has the trace of its own request, and others have none.
    @Test func othersHaveNone() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        let other = String(repeating: "1", count: 32)
        #expect(try post(client, "00-\(other)-\(Self.parent)-00") == 200)
        let plain = try client.ask("POST", "/v1/rooms/list/transactions", body: Self.insert)
        #expect(plain.status == 200)
        #expect(try post(client) == 200)
        #expect(committed(world).map { $0["traces"] } == [other, Self.trace])
        #expect(committed(world).map { $0["revisions"] } == ["1", "3"])
        #expect(answered(world).count == 2)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(parent)", "01-\(trace)-\(parent)-01", "ff-\(trace)-\(parent)-01",
        "00-\(trace)-\(parent)-01-", "00-\(trace)-\(parent)-0", "00-\(trace)-\(parent)-0g",
        "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent.uppercased())-01",
        "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
        "00_\(trace)_\(parent)_01", "00-\(trace)\(parent)--01",
        "00-é\(trace.dropFirst(2))-\(parent)-01",
    ])
    func whatIsNoTraceIsIgnored(field: String) throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        #expect(TraceParent(ForeignText(bounded: field)) == nil)
        let status = try post(client, field)
        // HTTP itself refuses bytes beyond ASCII.
        #expect(status == 200 || field.utf8.contains { $0 > 127 })
        #expect(committed(world).isEmpty && answered(world).isEmpty)
    }

    @Test func twoHeadersAreNone() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        _ = try client.ask(
            "GET", "/healthz", ["traceparent": Self.field, "Traceparent": Self.field])
        #expect(answered(world).isEmpty)
        _ = try client.ask("GET", "/nowhere", ["Traceparent": Self.field])
        #expect(answered(world).map { $0["route"] } == ["none"])
        _ = try client.ask("/healthz")
        #expect(answered(world).count == 1)
    }
}
