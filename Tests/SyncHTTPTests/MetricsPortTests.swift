import HTTPSupport
import SyncAccess
import SyncBytes
import SyncHTTP
import SyncModel
import SyncServer
import Testing

/// The port that has the server's metrics.
@Suite struct MetricsPortTests {
    private func number(_ name: String, in answer: HTTPClient.Answer) -> Int? {
        let line = answer.text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    @Test func metricsNeedNoToken() throws {
        let world = try HTTPWorld { $0.tokens = TokenAuthentication(NoTokens()) }
        let client = try world.connect(to: .metrics)
        let answer = try client.ask("/metrics")
        #expect(answer.status == 200)
        #expect(answer.head.fields["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(number("process_open_fds", in: answer) == 42)
        #expect(number("collsync_rooms_open", in: answer) == 0)
        let head = try client.ask("HEAD", "/metrics")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head.head.fields["Content-Length"].flatMap { Int($0) } ?? 0 > 10_000)
        #expect(try client.ask("/healthz").status == 200)
        #expect(try client.ask("/readyz").status == 200)
    }

    /// To compress takes a worker, and all of them may be busy.
    @Test func metricsWaitForNoWorker() throws {
        let client = try HTTPWorld().connect(to: .metrics)
        let answer = try client.ask("GET", "/metrics", ["Accept-Encoding": "gzip"])
        #expect(answer.head.fields["Content-Encoding"] == nil)
        #expect(answer.text.hasPrefix("# HELP "))
    }

    @Test func thePortHasNothingElse() throws {
        let world = try HTTPWorld()
        let client = try world.connect(to: .metrics)
        for target in ["/v1/rooms", "/v1/rooms/list", "/v1/ws?room=list", "/"] {
            #expect(try client.ask(target).status == 404, "\(target)")
        }
        #expect(try client.ask("/metrics?room=list").status == 400)
        let other = try client.ask("POST", "/metrics", body: "{}")
        #expect(other.status == 405)
        #expect(other.head.fields["Allow"] == "GET, HEAD, OPTIONS")
        #expect(try world.connect().ask("/metrics").status == 404)
    }

    @Test func aScrapeCountsNoConnection() throws {
        let world = try HTTPWorld()
        let requests = try world.connect()
        _ = try requests.ask("/healthz")
        let client = try world.connect(to: .metrics)
        let answer = try client.ask("/metrics")
        #expect(number(#"collsync_connections{kind="http"}"#, in: answer) == 1)
        #expect(number(#"collsync_connections_accepted_total{kind="http"}"#, in: answer) == 1)
    }

    /// Scrapes that come together are answered with one text, on whatever loop they are.
    @Test(arguments: [1, 2]) func manyScrapesMakeOneText(threads: Int) throws {
        let world = try HTTPWorld { $0.threads = threads }
        let clients = try (0..<8).map { _ in try world.connect(to: .metrics) }
        func scrapeAtOnce() throws -> [String] {
            for client in clients { client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n") }
            return try clients.map { try $0.takeAnswer().text }
        }
        let first = try scrapeAtOnce()
        #expect(Set(first).count == 1)
        #expect(world.processReadings.value == 1)
        world.simulation.run(forMilliseconds: 200)
        _ = try scrapeAtOnce()
        #expect(world.processReadings.value == 2)
    }

    @Test func clientsLeavePlacesForScrapes() throws {
        let world = try HTTPWorld { $0.maximumConnections = 2 }
        let clients = try (0..<2).map { _ in try world.connect() }
        for client in clients { #expect(try client.ask("/healthz").status == 200) }
        #expect(try world.connect().takeAnswer().status == 429)
        var scrapers: [HTTPClient] = []
        for _ in 0..<16 {
            let scraper = try world.connect(to: .metrics)
            #expect(try scraper.ask("/metrics").status == 200)
            scrapers.append(scraper)
        }
        #expect(try world.connect(to: .metrics).takeAnswer().status == 429)
        scrapers[0].close()
        world.simulation.run(forMilliseconds: 1000)
        #expect(try world.connect(to: .metrics).ask("/metrics").status == 200)
    }

    /// A proxy is before the clients, and not before Prometheus.
    @Test func aScrapeHasNoProxyHeader() throws {
        let world = try HTTPWorld { $0.proxies.sendHeaders = true }
        let client = try world.connect(to: .metrics)
        #expect(try client.ask("/metrics").status == 200)
    }

    /// What a scraper does not read waits for it alone, and is bounded.
    @Test func aSlowScraperCostsItsBuffer() throws {
        let world = try HTTPWorld()
        let slow = try world.connect(to: .metrics)
        slow.end.stream?.isReadingPaused = true
        for _ in 0..<1000 { slow.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n") }
        world.simulation.run(forMilliseconds: 5000)
        let answer = try world.connect(to: .metrics).ask("/metrics")
        let memory = try #require(
            number(#"collsync_memory_bytes{kind="connections"}"#, in: answer))
        #expect(memory > 64 << 10 && memory < 512 << 10, "\(memory)")
    }
}

/// Accepts no token.
private struct NoTokens: TokenVerifier {
    func verify(_ token: ForeignText, at now: UInt64) throws(TokenFailure) -> Access {
        throw TokenFailure(.bad, "no token is accepted")
    }

    func knowsKey(_ id: Identifier, mark: UInt64) -> Bool { false }
}
