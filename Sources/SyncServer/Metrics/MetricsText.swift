import SyncCounts
package import SyncIO

extension Server {
    /// The server's metrics in the text format of Prometheus, version 0.0.4. May be called on any
    /// thread, also on a loop.
    ///
    /// The text has the metrics of the table (``Metric/all``), some 20 KB, however many connections
    /// and rooms there are. Making it reads counts that are kept anyway, and interrupts no loop.
    ///
    /// - Parameter process: what the process uses, for the metrics `process_…`; `nil` leaves them
    ///   out.
    package func metrics(process: ProcessFigures? = nil) -> [UInt8] {
        ServerReading(of: context, loopCounts, process: process).text
    }

    /// The media type of ``metrics(process:)``.
    package static let metricsMediaType = "text/plain; version=0.0.4; charset=utf-8"
}

extension ServerReading {
    /// All metrics that are known here, as text.
    var text: [UInt8] {
        var text = MetricsText()
        for metric in Metric.all {
            if let value = metric.value(self) { text.add(metric, value) }
        }
        return text.bytes
    }
}

/// Writes metrics in the text format of Prometheus, version 0.0.4.
struct MetricsText {
    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(32 << 10)
    }

    mutating func add(_ metric: Metric, _ value: Metric.Value) {
        let name = metric.name
        line("# HELP \(name) \(metric.help)")
        line("# TYPE \(name) \(metric.kind.rawValue)")
        switch value {
        case .number(let number): line("\(name) \(Self.text(number))")
        case .microseconds(let time): line("\(name) \(Self.seconds(time))")
        case .row(let numbers):
            for (labels, number) in zip(metric.braces, numbers) {
                line("\(name){\(labels)} \(Self.text(number))")
            }
        case .times(let histogram): add(histogram, name, Self.seconds)
        case .sizes(let histogram): add(histogram, name) { "\($0)" }
        }
    }

    private mutating func add(
        _ histogram: HistogramReading, _ name: String, _ text: (Int) -> String
    ) {
        var count = 0
        for (index, bound) in histogram.bounds.enumerated() where index < histogram.counts.count {
            count += histogram.counts[index]
            line("\(name)_bucket{le=\"\(text(bound))\"} \(count)")
        }
        if histogram.counts.count > histogram.bounds.count {
            count += histogram.counts[histogram.bounds.count]
        }
        line("\(name)_bucket{le=\"+Inf\"} \(count)")
        line("\(name)_sum \(text(histogram.sum))")
        line("\(name)_count \(count)")
    }

    private mutating func line(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func text(_ number: Int) -> String { number == .max ? "+Inf" : "\(number)" }

    /// Microseconds as seconds, without zeros at the end.
    static func seconds(_ microseconds: Int) -> String {
        let (whole, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let sign = microseconds < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        var digits = "\(rest)"
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}
