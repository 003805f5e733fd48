import Foundation
import SyncWire
import Testing

extension ProcessTests {
    /// A real Prometheus scrapes a server with some traffic, and evaluates what `deploy` offers.
    @Suite struct PrometheusTests {
        private static let deploy = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../deploy").standardized
        private static let alerts = deploy.appending(path: "alerts.yaml")

        @Test func alertsAndDashboardHaveData() throws {
            let site = try MonitoredServer()
            let prometheus = try PrometheusProcess(scraping: site.metricsPort, rules: Self.alerts)
            _ = try PlainRequest.wait(for: "fourth scrape") {
                try site.post()
                let scrapes = #"count_over_time(collsync_connections_limit[5m]) >= 4"#
                return try prometheus.value(of: scrapes)
            }
            try expectCounts(of: site, in: prometheus)
            let target = try #require(try prometheus.ask("targets")?.list("activeTargets").first)
            #expect(target["health"]?.text == "up")
            #expect(target["lastError"]?.text == "")
            let known = try site.scrape().body
            for expression in try dashboard() + alerts(in: prometheus) {
                // On older systems the process does not know how many files are open.
                if expression.contains("process_open_fds"), !known.contains("process_open_fds ") {
                    continue
                }
                #expect(try !prometheus.samples(of: expression).isEmpty, "\(expression)")
            }
        }

        /// What was scraped is what happened.
        private func expectCounts(
            of site: MonitoredServer, in prometheus: PrometheusProcess
        ) throws {
            for (expression, expected) in [
                (#"collsync_transactions_total{result="committed"}"#, site.posted),
                (#"collsync_connections{kind="webSocket"}"#, 1),
                (#"collsync_connections{kind="tcp"}"#, 1),
                ("collsync_rooms_open", 1),
            ] {
                _ = try PlainRequest.wait(for: "\(expression) of \(expected)") {
                    try prometheus.value(of: expression) == "\(expected)" ? true : nil
                }
            }
        }

        /// The expressions of the dashboard, as Grafana would ask for them.
        private func dashboard() throws -> [String] {
            let file = Self.deploy.appending(path: "grafana.json")
            let panels = try JSON(String(contentsOf: file, encoding: .utf8)).list("panels")
            let targets = try panels.flatMap { try $0.list("targets") }
            let expressions = targets.compactMap { target in
                target["expr"]?.text?.replacing("$__rate_interval", with: "5m")
                    .replacing("$instance", with: ".*")
            }
            #expect(expressions.count > 30)
            #expect(!expressions.contains { $0.contains("$") })
            return expressions
        }

        /// The expressions of the alerts, without what they compare with, so that they have data
        /// while nothing is wrong.
        private func alerts(in prometheus: PrometheusProcess) throws -> [String] {
            let rules = try PlainRequest.wait(for: "evaluated alert") {
                let groups = try prometheus.ask("rules")?.list("groups") ?? []
                let rules = try groups.flatMap { try $0.list("rules") }
                return !rules.isEmpty && rules.allSatisfy { $0["health"]?.text != "unknown" }
                    ? rules : nil
            }
            #expect(rules.count >= 13)
            return rules.compactMap { rule in
                #expect(rule["health"]?.text == "ok", "\(rule)")
                #expect(rule["state"]?.text == "inactive", "\(rule)")
                return rule["query"]?.text?.replacing(#/ > [0-9.]+/#, with: "")
            }
        }

        // MARK: promtool

        private func check(_ arguments: [String], input: String = "") throws -> ChildProcess {
            let process = try ChildProcess(PrometheusProcess.checker, arguments)
            try process.write(input)
            process.closeInput()
            #expect(try process.wait() == .exit(0), "\(process.transcript)")
            return process
        }

        @Test func promtoolFindsNoMistake() throws {
            let site = try MonitoredServer()
            try site.post()
            let answer = try site.scrape()
            #expect(answer.head.contains("text/plain; version=0.0.4; charset=utf-8"))
            let lint = try check(["check", "metrics"], input: answer.body)
            #expect(try lint.output.all() + lint.errors.all() == [])
            _ = try check(["check", "rules", Self.alerts.path])
        }

        /// Each alert fires when it has to, alone, and none fires when all goes well.
        @Test func alertsFire() throws {
            let tests = Self.deploy.appending(path: "alerts-tests.yaml")
            _ = try check(["test", "rules", tests.path])
            let text = try String(contentsOf: tests, encoding: .utf8)
            for line in try String(contentsOf: Self.alerts, encoding: .utf8).split(separator: "\n")
            {
                guard let name = line.firstMatch(of: /- alert: (\w+)/)?.1 else { continue }
                #expect(text.contains(#"alertname="\#(name)""#), "\(name) has no test")
            }
        }
    }
}

/// A server with metrics and some clients: one over TCP that reads nothing, one over WebSocket, and
/// requests that write.
private final class MonitoredServer {
    private let server: ServerProcess
    private let httpPort: UInt16
    let metricsPort: UInt16
    private let reader: WireConnection
    private let socket: RawSocket
    /// How many transactions were committed.
    private(set) var posted = 0

    init() throws {
        server = try ServerProcess(["--metrics", "127.0.0.1:0"])
        httpPort = try server.port(after: "HTTP is on ")
        metricsPort = try server.port(after: "Metrics are on ")
        reader = try WireConnection(port: server.port, receiveBufferBytes: 4096)
        _ = try reader.join("list", as: "c-reader", secret: [1], viewOnly: false)
        socket = try RawSocket(port: httpPort)
        try socket.send(
            Array(
                """
                GET /v1/ws?room=list HTTP/1.1\r
                Host: 127.0.0.1\r
                Connection: Upgrade\r
                Upgrade: websocket\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Protocol: collsync.v1.json\r
                \r

                """.utf8))
        let answer = String(decoding: try socket.receive(), as: UTF8.self)
        guard answer.hasPrefix("HTTP/1.1 101 ") else {
            throw TestFailure("there is no WebSocket: \(answer)")
        }
    }

    /// Commits a transaction.
    func post() throws {
        let operation = #"{"insert":{"item":{"id":"\#(posted)"},"to":{"section":"main"}}}"#
        let answer = try PlainRequest.ask(
            "/v1/rooms/list/transactions", by: "POST", at: httpPort,
            body: #"{"ops":[\#(operation)]}"#)
        guard answer.status == 200 else { throw TestFailure("not committed: \(answer)") }
        posted += 1
    }

    func scrape() throws -> PlainRequest.Answer {
        try PlainRequest.ask("/metrics", at: metricsPort)
    }
}
