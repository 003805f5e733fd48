import HTTPSupport
import ServerSupport
import SyncRoom
import SyncServer
import Testing

@testable import SyncHTTP

/// Whose rates requests count for.
@Suite struct RequestRateTests {
    private static let rate = Rate(perMinute: 60, burst: 20)

    private func world(
        seed: UInt64 = 1, proxy: String? = nil,
        _ configure: @escaping (inout ServerConfiguration) -> Void
    ) throws -> HTTPWorld {
        var options = HTTPOptions()
        if let proxy { options.proxies = try #require(TrustedAddresses(proxy)) }
        return try HTTPWorld(seed: seed, options: options) {
            $0.tokens = TokenAuthentication(PlainTokens())
            $0.tokens?.areTakenFromAnywhere = true
            configure(&$0)
        }
    }

    private func ask(
        _ client: HTTPClient, as user: String?, for address: String? = nil
    ) throws -> HTTPClient.Answer {
        let token = user.map { "Authorization: Bearer \(PlainTokens.token($0))\r\n" } ?? ""
        let named = address.map { "Forwarded: for=\($0)\r\n" } ?? ""
        client.send("GET /v1/rooms HTTP/1.1\r\nHost: server\r\n\(token)\(named)\r\n")
        return try client.takeAnswer(limitMilliseconds: 300_000)
    }

    /// How long so many requests take, in milliseconds.
    private func time(_ count: Int, _ client: HTTPClient, as user: String) throws -> UInt64 {
        let began = client.world.nowMilliseconds
        for _ in 0..<count { #expect(try ask(client, as: user).status == 200) }
        return client.world.nowMilliseconds - began
    }

    /// Users at one address take nothing of each other's, nor of a stranger's.
    @Test func whoHasSignedInCountsAsAUser() throws {
        let world = try world { $0.addresses.messages = Self.rate }
        let clients = try (0..<4).map { _ in try world.connect(from: "192.0.2.1") }
        for (number, client) in clients.enumerated() {
            let took = try time(40, client, as: "user\(number)")
            #expect(took < 10_000, "\(took)")
        }
    }

    /// From however many connections, and also if most bytes are a body's.
    @Test func aUserHasItsRatesOnce() throws {
        let world = try world { $0.users.messages = Self.rate }
        let clients = try (0..<4).map { try world.connect(from: "192.0.2.\($0)") }
        for client in clients { #expect(try ask(client, as: "ann").status == 200) }
        let spent: UInt64 = try clients.reduce(0) { try $0 + time(10, $1, as: "ann") }
        // Forty, of which twenty come at once.
        #expect((15_000...25_000).contains(spent), "\(spent)")
        let again: UInt64 = try (0..<10).reduce(0) { sum, _ in
            let client = try world.connect(from: "192.0.2.9")
            return try sum + time(2, client, as: "ann")
        }
        #expect((15_000...25_000).contains(again), "\(again)")
        #expect(try time(10, world.connect(from: "192.0.2.1"), as: "ben") < 1000)
    }

    @Test func aBodyIsItsUsers() throws {
        let world = try world {
            $0.users.bytes = Rate(perSecond: 64 << 10)
            $0.addresses.bytes = Rate(perSecond: 4 << 10)
        }
        let client = try world.connect(from: "192.0.2.1")
        #expect(try ask(client, as: "ann").status == 200)
        let began = world.nowMilliseconds
        let items = (0..<10_000).map { #"{"id":"item\#($0)"}"# }.joined(separator: ",")
        let answer = try client.ask(
            "POST", "/v1/rooms/list/import",
            ["Authorization": "Bearer \(PlainTokens.token("ann"))"],
            body: #"{"sections":[{"id":"main","items":[\#(items)]}]}"#)
        #expect(answer.status == 200, "\(answer.text)")
        // Some 170 KB, of which a second's worth may come at once.
        let took = world.nowMilliseconds - began
        #expect((1000...5000).contains(took), "\(took)")
    }

    /// The requests of others come over the same connection.
    @Test func aProxysUserIsRefused() throws {
        let world = try world(proxy: "10.0.0.9") { $0.users.messages = Self.rate }
        let client = try world.connect(from: "10.0.0.9")
        var answers: [HTTPClient.Answer] = []
        for _ in 0..<40 { answers.append(try ask(client, as: "ann", for: "192.0.2.1")) }
        #expect(answers.first?.status == 200)
        #expect(answers.last?.status == 429)
        #expect(answers.last?.text.contains(#""code":"userLimit""#) == true)
        #expect(answers.last?.head.fields["Retry-After"] != nil)
        #expect(try ask(client, as: "ben", for: "192.0.2.1").status == 200)
        #expect(try ask(client, as: "ann", for: "192.0.2.1").status == 429)
        // What was refused adds nothing to the debt.
        world.simulation.run(forMilliseconds: 3000)
        #expect(try ask(client, as: "ann", for: "192.0.2.1").status == 200)
    }

    private static let large =
        "POST /v1/layout HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer "
        + PlainTokens.token("ann") + "\r\nContent-Length: 65536\r\n\r\n"
        + String(repeating: " ", count: 65_536)

    /// Whoever has sent too much can't send more over another connection.
    @Test func anAddressWaitsOnEachConnection() throws {
        let world = try world { $0.addresses.bytes = Rate(perSecond: 1 << 10) }
        try world.connect(from: "192.0.2.1").send(Self.large)
        world.simulation.run(forMilliseconds: 100)
        let again = try world.connect(from: "192.0.2.1")
        again.send("GET /healthz HTTP/1.1\r\nHost: server\r\n\r\n")
        #expect(!world.run(limitMilliseconds: 5000) { !again.end.received.isEmpty })
        #expect(try world.connect(from: "192.0.2.2").ask("/healthz").status == 200)
    }

    @Test func aUserWaitsOnEachConnection() throws {
        let world = try world { $0.users.bytes = Rate(perSecond: 1 << 10) }
        let client = try world.connect(from: "192.0.2.1")
        #expect(try ask(client, as: "ann").status == 200)
        client.send(Self.large)
        world.simulation.run(forMilliseconds: 100)
        let again = try world.connect(from: "192.0.2.2")
        again.send(
            "GET /v1/rooms HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer "
                + PlainTokens.token("ann") + "\r\n\r\n")
        #expect(!world.run(limitMilliseconds: 5000) { !again.end.received.isEmpty })
        #expect(try ask(world.connect(from: "192.0.2.2"), as: "ben").status == 200)
        #expect(world.run(limitMilliseconds: 120_000) { !again.end.received.isEmpty })
        #expect(try again.takeAnswer().status == 200)
    }

    /// A client's pause must not stop others whose requests come over the same connection.
    @Test func theRestOfARefusedRequestEndsAProxysConnection() throws {
        let world = try world(proxy: "10.0.0.9") {
            $0.addresses.bytes = Rate(perSecond: 1 << 10)
        }
        let client = try world.connect(from: "10.0.0.9")
        client.send(
            "POST /v1/layout HTTP/1.1\r\nHost: server\r\nForwarded: for=192.0.2.1\r\n"
                + "Content-Length: 8000\r\n\r\n")
        #expect(world.run { client.receivedText.contains("HTTP/1.1 401") })
        client.send(String(repeating: " ", count: 8000))
        #expect(world.run(limitMilliseconds: 5000) { client.isClosed })
    }

    /// Nobody spends what is another's by a request that shows no token.
    @Test func strangersSpendNothingOfUsers() throws {
        let world = try world(proxy: "10.0.0.9") {
            $0.users.messages = Self.rate
            $0.addresses.messages = Self.rate
        }
        let client = try world.connect(from: "10.0.0.9")
        #expect(try ask(client, as: "ann", for: "192.0.2.1").status == 200)
        var statuses: Set<Int> = []
        for _ in 0..<40 {
            let answer = try client.ask("GET", "/healthz", ["Forwarded": "for=192.0.2.1"])
            statuses.insert(answer.status)
        }
        #expect(statuses == [200, 429])
        #expect(try time(10, world.connect(from: "192.0.2.2"), as: "ann") < 1000)
    }
}
