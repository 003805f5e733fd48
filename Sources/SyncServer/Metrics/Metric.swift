import SyncCounts
import SyncIO
import SyncRoom
import SyncStore
import SyncWire

/// A metric of the server, for Prometheus: what it is called, what it means, and where its value
/// comes from. ``Metric/all`` is the table of all of them.
///
/// A label has a few values that the code fixes. No room, user or address is ever a label, since
/// clients choose those, and each would cost memory here and wherever metrics are stored.
package struct Metric: Sendable {
    package enum Kind: String, Sendable {
        /// Only grows, as long as the process lives.
        case counter
        case gauge
        case histogram
    }

    package struct Label: Sendable {
        package var name: String
        package var values: [String]
    }

    /// A metric's value, or its values.
    enum Value {
        /// `Int.max` means that there is no limit.
        case number(Int)
        /// Is written in seconds.
        case microseconds(Int)
        /// A number for each value of the label, in order; if there are two, for each value of the
        /// second one within the first.
        case row([Int])
        /// Measures in microseconds; the bounds and the sum are written in seconds.
        case times(HistogramReading)
        case sizes(HistogramReading)
    }

    package let name: String
    package let kind: Kind
    /// One sentence.
    package let help: String
    /// None, one or two.
    package let labels: [Label]
    /// What stands in a sample's braces, for each combination of the labels' values.
    let braces: [String]
    /// The value; `nil` if it is not known here.
    let value: @Sendable (ServerReading) -> Value?

    init(
        _ name: String, _ kind: Kind, by label: Label? = nil, and second: Label? = nil,
        _ help: String,
        value: @escaping @Sendable (ServerReading) -> Value?
    ) {
        self.name = name
        self.kind = kind
        labels = [label, second].compactMap(\.self)
        braces = labels.reduce([""]) { former, label in
            former.flatMap { text in
                label.values.map { "\(text)\(text.isEmpty ? "" : ",")\(label.name)=\"\($0)\"" }
            }
        }
        self.help = help
        self.value = value
    }

    /// All metrics, in the order in which they are written.
    package static let all =
        connectionMetrics + roomMetrics + catchUpMetrics + turnMetrics + storeMetrics
        + memoryMetrics + processMetrics
}

/// Where metrics get their values from. Making one takes a few locks, and no loop over connections,
/// rooms or members.
struct ServerReading {
    let context: ServerContext
    let loops: [LoopCounts]
    let process: ProcessFigures?
    let store: StoreFigures
    let memory: MemoryFigures
    let waitingJobs: [Int]

    init(of context: ServerContext, _ loops: [LoopCounts], process: ProcessFigures?) {
        self.context = context
        self.loops = loops
        self.process = process
        store = context.store.figures
        memory = context.pots.memory.memory
        waitingJobs = context.jobs.waitingCounts
    }

    /// The sum of the loops' numbers.
    func sum(_ number: (LoopCounts) -> Int) -> Metric.Value {
        .number(loops.reduce(0) { $0 + number($1) })
    }

    /// The sums of the loops' rows.
    func rows(_ row: (LoopCounts) -> [Int]) -> [Int] {
        guard var sums = loops.first.map(row) else { return [] }
        for loop in loops.dropFirst() { sums = zip(sums, row(loop)).map(+) }
        return sums
    }

    func sums(_ row: (LoopCounts) -> [Int]) -> Metric.Value { .row(rows(row)) }

    /// The loops' measures together; `nil` if there is no loop.
    func measures(_ histogram: (LoopCounts) -> HistogramReading) -> HistogramReading? {
        guard var sum = loops.first.map(histogram) else { return nil }
        for loop in loops.dropFirst() { sum += histogram(loop) }
        return sum
    }

    func times(_ histogram: (LoopCounts) -> HistogramReading) -> Metric.Value? {
        measures(histogram).map { .times($0) }
    }

    func sizes(_ histogram: (LoopCounts) -> HistogramReading) -> Metric.Value? {
        measures(histogram).map { .sizes($0) }
    }
}
