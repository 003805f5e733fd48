import SyncServer
import SyncWebSocket
import Testing

@testable import SyncHTTP

/// The server's metrics count requests over HTTP, and their errors.
@Suite struct RequestCountTests {
    /// The samples of the metrics that are not 0, for some names.
    private func samples(_ world: HTTPWorld, _ names: String...) throws -> Set<String> {
        let text = String(decoding: try #require(world.server).metrics(), as: UTF8.self)
        return Set(
            text.split(separator: "\n").map(String.init).filter { line in
                names.contains { line.hasPrefix($0 + "{") } && !line.hasSuffix(" 0")
            })
    }

    private let requests = "collsync_http_requests_total"
    private let errors = "collsync_errors_total"
    private let transactions = "collsync_transactions_total"

    private func counted(_ route: String, _ status: String, _ count: Int = 1) -> String {
        #"collsync_http_requests_total{route="\#(route)",status="\#(status)"} \#(count)"#
    }

    private func times(_ world: HTTPWorld) throws -> Int? {
        let text = String(decoding: try #require(world.server).metrics(), as: UTF8.self)
        let start = "collsync_http_request_seconds_count "
        return text.split(separator: "\n").first { $0.hasPrefix(start) }
            .flatMap { Int($0.dropFirst(start.count)) }
    }

    @Test func byRouteAndStatus() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        for target in ["/healthz", "/healthz", "/v1/rooms", "/v1/rooms/none", "/nowhere"] {
            _ = try client.ask(target)
        }
        #expect(
            try samples(world, requests) == [
                counted("health", "2xx", 2), counted("rooms", "2xx"), counted("snapshot", "4xx"),
                counted("none", "4xx"),
            ])
        #expect(try times(world) == 5)
    }

    @Test func streamsCountWhenTheyBegin() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        client.send("GET /v1/rooms/list/stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(world.run { client.receivedText.contains("event: snapshot") })
        let lines = try world.connect(
            by: WebSocketClient(target: "/v1/ws?room=list", host: "server", .lines))
        #expect(world.run { lines.receivedText.contains(#"{"snapshot":"#) })
        let expected: Set = [counted("events", "2xx"), counted("webSocket", "1xx")]
        #expect(try samples(world, requests) == expected)
        // The end of a stream is no answer, and how long it took says nothing.
        world.server?.drain()
        #expect(world.run { client.isClosed && lines.isClosed })
        #expect(client.receivedText.contains("event: error"))
        #expect(try samples(world, requests) == expected)
        #expect(try times(world) == 0)
    }

    /// Errors that HTTP answers by itself, since no session is asked.
    @Test(arguments: [
        ("GET /v1/rooms?x=1 HTTP/1.1\r\nHost: a\r\n\r\n", "badMessage", "rooms"),
        ("PUT /v1/rooms HTTP/1.1\r\nHost: a\r\n\r\n", "unsupported", "none"),
        ("GET /healthz HTTP/1.1\r\n\r\n", "badMessage", "none"),
        ("GET /v1/rooms HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n\r\n", "badToken", "rooms"),
        ("GET /v1/ws?room=a HTTP/1.1\r\nHost: a\r\n\r\n", "badHandshake", "webSocket"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\n", "frameTimeout", "none"),
    ])
    func errorsWithoutASession(request: String, code: String, route: String) throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        client.send(request)
        #expect(try client.takeAnswer().status >= 400)
        #expect(try samples(world, errors) == [#"collsync_errors_total{code="\#(code)"} 1"#])
        #expect(try samples(world, requests) == [counted(route, "4xx")])
    }

    /// What can't be read is not what was asked for before.
    @Test func anUnreadableRequestHasNoRoute() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        _ = try client.ask("/healthz")
        client.send("GET /healthz HTTP/1.1\r\n\r\n")
        #expect(try client.takeAnswer().status == 400)
        #expect(try samples(world, requests) == [counted("health", "2xx"), counted("none", "4xx")])
    }

    /// A session's errors count once.
    @Test func errorsOfASession() throws {
        let world = try HTTPWorld { $0.storage.createsRooms = false }
        #expect(try world.connect().ask("/v1/rooms/none/stats").status == 404)
        #expect(try samples(world, errors) == [#"collsync_errors_total{code="roomNotFound"} 1"#])
    }

    @Test func refusedLines() throws {
        let world = try HTTPWorld()
        let client = try world.connect(
            by: WebSocketClient(target: "/v1/ws?room=list", host: "server", .lines))
        #expect(world.run { client.receivedText.contains(#"{"snapshot":"#) })
        client.send("nonsense\nmore nonsense\n")
        #expect(world.run { client.receivedText.contains(#""line":2}"#) })
        #expect(try samples(world, errors) == [#"collsync_errors_total{code="badMessage"} 2"#])
    }

    @Test func refusedSharing() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        let body = #"{"room":"list","role":"viewer"}"#
        #expect(try client.ask("POST", "/v1/tokens", body: body).status == 403)
        #expect(try client.ask("POST", "/v1/tokens", body: "{").status == 400)
        let long = String(repeating: " ", count: 8 << 10)
        #expect(try client.ask("POST", "/v1/tokens", body: long).status == 413)
        #expect(
            try samples(world, errors) == [
                #"collsync_errors_total{code="notAllowed"} 1"#,
                #"collsync_errors_total{code="badMessage"} 1"#,
                #"collsync_errors_total{code="frameTooLarge"} 1"#,
            ])
    }

    @Test func refusedTransactions() throws {
        let world = try HTTPWorld()
        let client = try world.connect()
        let target = "/v1/rooms/list/transactions"
        let insert = #"{"ops":[{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}]}"#
        #expect(try client.ask("POST", target, body: insert).status == 200)
        #expect(try client.ask("POST", target, body: insert).status == 200)
        #expect(try client.ask("POST", target, body: "{").status == 400)
        #expect(
            try samples(world, transactions) == [
                #"collsync_transactions_total{result="committed"} 2"#,
                #"collsync_transactions_total{result="malformed"} 1"#,
            ])
        #expect(try samples(world, errors) == [])
        #expect(
            try samples(world, requests) == [
                counted("transactions", "2xx", 2), counted("transactions", "4xx"),
            ])
    }

    @Test func eachRouteHasALabel() throws {
        let world = try HTTPWorld()
        let text = String(decoding: try #require(world.server).metrics(), as: UTF8.self)
        for route in Route.allCases.map({ "\($0)" }) + ["none"] {
            #expect(text.contains(#"{route="\#(route)",status="5xx"} 0"#), "\(route)")
        }
    }
}
