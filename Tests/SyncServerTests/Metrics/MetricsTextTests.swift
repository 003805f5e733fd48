import Foundation
import SyncCounts
import SyncIO
import Testing

@testable import SyncServer

@Suite("Metrics as text")
struct MetricsTextTests {
    private static let process: ProcessFigures = {
        var figures = ProcessFigures()
        figures.processorMicroseconds = 1_500_000
        figures.residentBytes = 1 << 20
        figures.virtualBytes = 1 << 30
        figures.openFiles = 20
        figures.maximumOpenFiles = 1024
        figures.startMilliseconds = 1_700_000_000_123
        return figures
    }()

    private static let page = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "deploy/metrics.md")

    private func text() throws -> [UInt8] {
        let world = try World { $0.threads = 2 }
        _ = try world.join("anna")
        return try #require(world.server).metrics(process: Self.process)
    }

    @Test("the text has every metric of the table, with its label's values, and nothing else")
    func table() throws {
        let bytes = try text()
        #expect(bytes.count < 40_000)
        let found = try Exposition(bytes)
        #expect(found.families.map(\.name) == Metric.all.map(\.name))
        for (family, metric) in zip(found.families, Metric.all) {
            #expect(family.kind == metric.kind.rawValue && family.help == metric.help)
            guard metric.kind != .histogram else { continue }
            let names = metric.labels.map(\.name).joined(separator: ",")
            let values = metric.labels.map(\.values).reduce([""]) { former, values in
                former.flatMap { text in values.map { text.isEmpty ? $0 : "\(text),\($0)" } }
            }
            #expect(family.label == names && family.labelValues == values, "\(metric.name)")
        }
    }

    @Test("names say what a metric is measured in, as Prometheus asks for")
    func names() {
        for metric in Metric.all {
            #expect(metric.name.hasPrefix("collsync_") || metric.name.hasPrefix("process_"))
            for unit in ["milli", "micro", "_ms", "_kb", "_mb", "percent"] {
                #expect(!metric.name.contains(unit), "\(metric.name)")
            }
            for value in metric.labels.flatMap(\.values) {
                let isPlain = value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
                #expect(isPlain, "\(value)")
            }
        }
    }

    @Test("what is not known is left out")
    func unknown() throws {
        let world = try World()
        let found = try Exposition(try #require(world.server).metrics())
        let without = Metric.all.filter { !$0.name.hasPrefix("process_") }
        #expect(found.families.map(\.name) == without.map(\.name))
    }

    @Test("the process's figures are in base units")
    func units() throws {
        let found = try Exposition(try text())
        #expect(found["process_cpu_seconds_total"] == 1.5)
        #expect(found["process_start_time_seconds"] == 1_700_000_000.123)
        #expect(found["process_open_fds"] == 20 && found["process_max_fds"] == 1024)
        #expect(found["process_resident_memory_bytes"] == 1_048_576)
        #expect(found["process_virtual_memory_bytes"] == 1_073_741_824)
        #expect(found["collsync_memory_limit_bytes"] == .infinity)
        #expect(found["collsync_connections_limit"] == 20_000)
    }

    @Test("microseconds are written as seconds")
    func seconds() {
        let cases = [
            (0, "0"), (1, "0.000001"), (100, "0.0001"), (250_000, "0.25"), (1_000_000, "1"),
            (10_000_000, "10"), (12_000_030, "12.00003"), (-1_500_000, "-1.5"),
        ]
        for (time, text) in cases { #expect(MetricsText.seconds(time) == text) }
    }

    @Test("deploy/metrics.md has the table; COLLSYNC_WRITE_METRICS=1 writes it anew")
    func documented() throws {
        let rows = Metric.all.map { metric in
            let labels = metric.labels.map { label in
                "`\(label.name)`: " + label.values.joined(separator: ", ")
            }.joined(separator: "; ")
            return "| `\(metric.name)` | \(metric.kind.rawValue) | \(metric.help) | \(labels) |"
        }
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let parts = page.components(separatedBy: "|---|---|---|---|\n")
        try #require(parts.count == 2)
        let found = parts[1].split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { $0.hasPrefix("|") }
        if ProcessInfo.processInfo.environment["COLLSYNC_WRITE_METRICS"] != nil {
            let rest = parts[1].split(separator: "\n", omittingEmptySubsequences: false)
                .dropFirst(found.count)
            let text =
                parts[0] + "|---|---|---|---|\n" + rows.joined(separator: "\n") + "\n"
                + rest.joined(separator: "\n")
            try text.write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        #expect(found.map(String.init) == rows)
    }

    @Test("promtool finds no mistake")
    func promtool() throws {
        let complaints = try Promtool.run(["check", "metrics"], input: try text())
        #expect(complaints == "")
    }
}

/// Prometheus's own checker.
enum Promtool {
    private static let path = "/usr/bin/promtool"

    /// - Returns: what it complains about; empty if it finds no mistake.
    static func run(_ arguments: [String], input: [UInt8]) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "collsync-metrics-\(UUID().uuidString)")
        try Data(input).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: said, as: UTF8.self)
        return process.terminationStatus == 0 ? text : "\(text)\n(\(process.terminationStatus))"
    }
}
