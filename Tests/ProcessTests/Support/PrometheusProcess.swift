import Foundation

/// A Prometheus with a store of its own, which scrapes a server on this machine.
final class PrometheusProcess {
    static let program = URL(filePath: "/usr/bin/prometheus")
    static let checker = URL(filePath: "/usr/bin/promtool")

    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let port: UInt16

    /// Starts it, and waits until it answers.
    ///
    /// - Parameter rules: the file with its alerts.
    init(scraping port: UInt16, rules: URL) throws {
        folder = try TemporaryFolder()
        let configuration = try folder.write(
            """
            global: {scrape_interval: 250ms, scrape_timeout: 250ms, evaluation_interval: 250ms}
            rule_files: ["\(rules.path)"]
            scrape_configs:
              - job_name: collsync
                static_configs: [{targets: ["127.0.0.1:\(port)"]}]
            """, to: "prometheus.yml")
        process = try ChildProcess(
            Self.program,
            [
                "--config.file=\(configuration)", "--storage.tsdb.path=\(folder.path("data"))",
                "--web.listen-address=127.0.0.1:0", "--log.format=json",
            ])
        while let line = try process.errors.next() {
            guard line.contains(#""msg":"Listening on""#) else { continue }
            guard let match = line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/),
                let port = UInt16(match.1)
            else { throw TestFailure("Prometheus listens on no port: \(line)") }
            self.port = port
            return
        }
        throw TestFailure("Prometheus did not start: \(process.transcript)")
    }

    /// What its API answers; `nil` if it is not ready yet.
    func ask(_ target: String) throws -> JSON? {
        let answer = try PlainRequest.ask("/api/v1/\(target)", at: port)
        if answer.status == 503 { return nil }
        let json = try JSON(answer.body)
        guard answer.status == 200, json["status"]?.text == "success", let data = json["data"]
        else { throw TestFailure("\(target): \(answer.body)") }
        return data
    }

    /// The samples that an expression has now, by their labels, with their values as text.
    func samples(of expression: String) throws -> [(labels: JSON, value: String)] {
        let query =
            expression.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        guard let data = try ask("query?query=\(query)") else { return [] }
        if data["resultType"]?.text == "scalar" { return [] }
        return try data.list("result").map { sample in
            guard let labels = sample["metric"], let value = sample["value"]?.list?.last?.text
            else { throw TestFailure("\(expression) has a sample without a value: \(sample)") }
            return (labels, value)
        }
    }

    /// The value of the only sample of an expression.
    func value(of expression: String) throws -> String? {
        let samples = try samples(of: expression)
        return samples.count == 1 ? samples[0].value : nil
    }
}
