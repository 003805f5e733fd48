import Foundation
import Testing

@testable import SyncServer

@Suite("Alerts and dashboard")
struct MonitoringFilesTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "deploy")

    private func text(_ name: String) throws -> String {
        try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    }

    /// The names of metrics in a text, without what a histogram's samples add to its name.
    private func names(in text: String) -> Set<String> {
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
        let histograms = Set(Metric.all.filter { $0.kind == .histogram }.map(\.name))
        var names: Set<String> = []
        for word in words where word.hasPrefix("collsync_") || word.hasPrefix("process_") {
            var name = String(word)
            for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
                let base = String(name.dropLast(suffix.count))
                if histograms.contains(base) { name = base }
            }
            names.insert(name)
        }
        return names
    }

    @Test(
        "every metric that they name is in the table", arguments: ["alerts.yaml", "grafana.json"])
    func known(file: String) throws {
        let found = names(in: try text(file))
        #expect(found.count > 8)
        #expect(found.subtracting(Metric.all.map(\.name)) == [])
    }

    @Test("the labels in the alerts have values of the table")
    func labelValues() throws {
        let known = Set(Metric.all.flatMap { $0.labels.flatMap(\.values) })
        var count = 0
        for match in try text("alerts.yaml").matches(of: /\{\w+(?:=~|!=|=)"([\w|]+)"\}/) {
            for value in match.output.1.split(separator: "|") {
                #expect(known.contains(String(value)), "\(value)")
                count += 1
            }
        }
        #expect(count >= 9)
    }

    @Test("each alert says what is the matter and what to do")
    func runbook() throws {
        let rules = try text("alerts.yaml").components(separatedBy: "- alert: ").dropFirst()
        #expect(rules.count >= 10)
        for rule in rules {
            #expect(rule.contains("summary: ") && rule.contains("description: "), "\(rule)")
        }
    }

    @Test("the dashboard is JSON")
    func json() throws {
        let dashboard = try JSONSerialization.jsonObject(with: Data(try text("grafana.json").utf8))
        let panels = (dashboard as? [String: Any])?["panels"] as? [Any]
        #expect(panels?.count ?? 0 > 10)
    }

    @Test("promtool finds no mistake in the alerts")
    func promtool() throws {
        let path = Self.folder.appending(path: "alerts.yaml").path
        let said = try Promtool.run(["check", "rules", path], input: [])
        #expect(said.contains("SUCCESS") && !said.contains("("), "\(said)")
    }
}
