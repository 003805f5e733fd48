import HTTPSupport
import SyncHTTP
import SyncRoom
import SyncServer
import Testing

/// Proxies that send the requests of many clients over one connection.
@Suite struct ProxyTests {
    private static func world(
        _ configure: (inout ServerConfiguration) -> Void
    ) throws -> HTTPWorld {
        var options = HTTPOptions()
        options.proxies = try #require(TrustedAddresses("10.0.0.9"))
        return try HTTPWorld(options: options, configure)
    }

    private static func ask(
        _ client: HTTPClient, for address: String?, _ target: String = "/v1/rooms"
    ) throws -> HTTPClient.Answer {
        guard let address else { return try client.ask(target) }
        return try client.ask("GET", target, ["Forwarded": "for=\(address)"])
    }

    @Test func eachRequestCountsForItsClient() throws {
        let world = try ProxyTests.world {
            $0.addresses.messages = Rate(perMinute: 60, burst: 20)
        }
        let client = try world.connect(from: "10.0.0.9")
        var statuses: [Int] = []
        for _ in 0..<40 { statuses.append(try ProxyTests.ask(client, for: "192.0.2.1").status) }
        #expect(statuses.first == 200)
        #expect(statuses.last == 429)
        let refused = try ProxyTests.ask(client, for: "192.0.2.1")
        #expect(refused.head.fields["Retry-After"] != nil)
        // It disturbs nobody who shares the connection.
        #expect(try ProxyTests.ask(client, for: "192.0.2.2").status == 200)
        #expect(try ProxyTests.ask(client, for: "\"[2001:db8::1]:4711\"").status == 200)
        #expect(try ProxyTests.ask(client, for: "192.0.2.1").status == 429)
    }

    /// Otherwise a page could not read why, and when to come back.
    @Test func aPageMayReadThatItHasToWait() throws {
        var options = HTTPOptions()
        options.proxies = try #require(TrustedAddresses("10.0.0.9"))
        options.origins = ["https://app.example"]
        let world = try HTTPWorld(options: options) {
            $0.addresses.messages = Rate(perMinute: 60, burst: 2)
        }
        let client = try world.connect(from: "10.0.0.9")
        func ask() throws -> HTTPClient.Answer {
            try client.ask(
                "GET", "/v1/rooms",
                ["Forwarded": "for=192.0.2.1", "Origin": "https://app.example"])
        }
        var answer = try ask()
        for _ in 0..<9 where answer.status == 200 { answer = try ask() }
        #expect(answer.status == 429)
        #expect(
            answer.head.fields["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(answer.head.fields["Access-Control-Expose-Headers"]?.contains("Retry-") == true)
        #expect(answer.head.fields["Vary"] == "Origin")
    }

    /// It is no proxy's that sends the requests of others, though the proxy before it is one.
    @Test func whoAHeaderNamesNamesNobody() throws {
        let world = try ProxyTests.world {
            $0.proxies.sendHeaders = true
            $0.proxies.trusted = TrustedAddresses("10.0.0.9") ?? .none
            $0.addresses.messages = Rate(perMinute: 60, burst: 20)
        }
        let client = try world.connect(from: "10.0.0.9")
        let head: [UInt8] = [
            0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, 0x21, 0x11, 0,
            12,
        ]
        client.send(bytes: head + [192, 0, 2, 1] + [10, 0, 0, 1] + [0, 77, 0x1C, 0xFC])
        for number in 0..<40 {
            client.send(
                "GET /healthz HTTP/1.1\r\nHost: a\r\nForwarded: for=192.0.2.\(number)\r\n\r\n")
        }
        #expect(world.run { client.receivedText.contains("HTTP/1.1 200") })
        #expect(!world.run(limitMilliseconds: 5000) { client.receivedText.count > 40 * 100 })
    }

    @Test func aLongBodyIsChargedAsItComes() throws {
        let world = try ProxyTests.world { $0.addresses.bytes = Rate(perSecond: 64 << 10) }
        let client = try world.connect(from: "10.0.0.9")
        let items = (0..<20_000).map { #"{"id":"item\#($0)"}"# }.joined(separator: ",")
        let body = #"{"snapshot":{"sections":[{"id":"main","items":["# + items + "]}]}}"
        client.send(
            "POST /v1/rooms/list/import HTTP/1.1\r\nHost: a\r\nForwarded: for=192.0.2.1\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
        // 400 KB, of which it may send a second's worth at once.
        #expect(!world.run(limitMilliseconds: 3000) { !client.received.isEmpty })
        #expect(try client.takeAnswer().status == 200)
    }

    @Test func connectionsOfAClientAreLimited() throws {
        let world = try ProxyTests.world { $0.addresses.connections = 2 }
        let clients = try (0..<2).map { _ in try world.connect(from: "10.0.0.9") }
        for client in clients {
            #expect(try ProxyTests.ask(client, for: "192.0.2.1").status == 200)
        }
        // Its place is free when the proxy uses the connection for somebody else.
        #expect(try ProxyTests.ask(clients[0], for: "192.0.2.2").status == 200)
        let third = try world.connect(from: "192.0.2.1")
        #expect(try third.ask("/v1/rooms").status == 200)
        #expect(try ProxyTests.ask(clients[0], for: "192.0.2.1").status == 429)
        #expect(try ProxyTests.ask(clients[0], for: "192.0.2.3").status == 200)
    }

    /// A proxy may open them before it has requests, and for however many clients.
    @Test func connectionsCountOnceTheyHaveAClient() throws {
        let world = try ProxyTests.world { $0.addresses.connections = 2 }
        let clients = try (0..<6).map { _ in try world.connect(from: "10.0.0.9") }
        for (number, client) in clients.enumerated() {
            #expect(try ProxyTests.ask(client, for: "192.0.2.\(number)").status == 200)
        }
        // Without a client they count for the proxy.
        let others = try (0..<4).map { _ in try world.connect(from: "10.0.0.9") }
        let statuses = try others.map { try ProxyTests.ask($0, for: nil).status }
        #expect(statuses == [200, 200, 429, 429])
    }

    @Test func strangersNameNobody() throws {
        let world = try ProxyTests.world {
            $0.addresses.messages = Rate(perMinute: 60, burst: 20)
        }
        let stranger = try world.connect(from: "10.0.0.8")
        for number in 0..<40 {
            stranger.send(
                "GET /healthz HTTP/1.1\r\nHost: a\r\nForwarded: for=192.0.2.\(number)\r\n\r\n")
        }
        #expect(!world.run(limitMilliseconds: 5000) { stranger.receivedText.count > 40 * 100 })
        let proxy = try world.connect(from: "10.0.0.9")
        #expect(try ProxyTests.ask(proxy, for: "x y").status == 400)
        #expect(try ProxyTests.ask(proxy, for: "192.0.2.4").status == 200)
    }
}
