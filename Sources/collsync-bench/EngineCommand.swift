import ArgumentParser
import SyncModel

/// `collsync-bench engine`
struct EngineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine", abstract: "One room's engine, on one thread.",
        discussion: """
            Every edit is a transaction of its own at a random place. The engine gets 32 of them in \
            advance, as a room passes it queued ones. Rivals do the same work in the same run if they \
            are installed (PyPI loro, Debian node-yjs). The last row measures the machine's memory: a look-up \
            among a million items is a chain of some five reads, each of which has the address of the next.
            """)

    @Option(help: "How many items the room has.")
    var items = 1_000_000

    @Option(help: "How many edits of each kind.")
    var edits = 1_000_000

    @Option(help: "How many edits of each kind a rival does: they are slower.")
    var rivalEdits = 100_000

    @Option(help: "An editing trace to play, as automerge-paper.json.gz of josephg/editing-traces.")
    var trace: String?

    @Option(help: "How often the rates are measured, each time in a new room.")
    var rounds = 3

    @Option(help: "The seed of chance.")
    var seed: UInt64 = 1

    @Flag(inversion: .prefixedNo, help: "Measure the rivals too.")
    var rivals = true

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds is at least 1") }
    }

    func run() throws {
        Report.say(
            """
            One thread, \(items) items, \(edits) edits of each kind, seed \(seed). Rates are medians of \
            \(rounds) rounds, with the least and the most of them.

            """)
        var report = Report()
        let bytes = try EngineBenchmark.bytesPerItem(items: items, seed: seed)
        let figures = try (0..<rounds).map { _ in
            var benchmark = try EngineBenchmark(items: items, edits: edits, seed: seed)
            try benchmark.run()
            return benchmark.figures
        }
        let loro = rivals ? Rivals.loro(items: items, edits: min(rivalEdits, items)) : []
        for (index, figure) in figures[0].enumerated() {
            let rival = loro.first { $0.name == figure.name }
            report.addRates(
                figure.name, figures.map { $0[index].perSecond }, reach: figure.reach,
                loro: rival?.perSecond)
        }
        let loroBytes = loro.first { $0.name == "bytes" }.map { $0.seconds / Double($0.count) }
        report.add(
            "memory an item", "\(Int(bytes)) bytes", "≤ 150 bytes",
            loroBytes.map { "Loro \(Int($0)) bytes: \(Report.ratio($0 / bytes))" })
        try addBatches(&report)
        if let trace { try addTrace(trace, &report) }
        let read = MemoryBenchmark.secondsPerDependentRead(seed: seed)
        report.add(
            "a read that waits for the last", "\(Int(read * 1e9)) ns", "the machine's",
            "five of them: \(Report.rate(1 / (5 * read)))")
        report.print()
    }

    private func addBatches(_ report: inout Report) throws {
        var batches = try BatchBenchmark(items: items, seed: seed)
        for (count, reach) in [(1000, 0.002), (100_000, 0.2)] {
            let best = try (0..<3).map { _ in try batches.seconds(touching: count) }.min() ?? 0
            report.add(
                "batch over \(count) touched nodes", Report.milliseconds(best),
                "≤ \(Report.milliseconds(reach))", nil)
        }
    }

    private func addTrace(_ path: String, _ report: inout Report) throws {
        let trace = try TraceBenchmark(path: path)
        let seconds = try (0..<3).map { _ in try trace.run() }.min() ?? 0
        var beside: [String] = []
        if rivals {
            for (name, figures) in [
                ("Loro", Rivals.loroTrace(path)), ("Yjs", Rivals.yjsTrace(path)),
            ] {
                guard let figure = figures.first else { continue }
                beside.append(
                    "\(name) \(Report.milliseconds(figure.seconds)): "
                        + Report.ratio(figure.seconds / seconds))
            }
        }
        report.add(
            "the trace of \(trace.edits.count) edits", Report.milliseconds(seconds), "≤ 200 ms",
            beside.isEmpty ? nil : beside.joined(separator: ", "))
    }
}
