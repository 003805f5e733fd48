import ArgumentParser
import SyncLayout
import SyncModel

/// `collsync-bench layout`
struct LayoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "layout", abstract: "Layouts of very many items, on one thread.",
        discussion: """
            Each figure is the median of some rounds. Beside them are a bare loop, which writes each item's \
            column and top, and a plain layout, which computes every frame again after a change.
            """)

    @Option(help: "How many items there are.")
    var items = 1_000_000

    @Option(help: "How often each is measured.")
    var rounds = 9

    @Option(help: "The seed of chance.")
    var seed: UInt64 = 1

    func validate() throws {
        guard items >= 1000 else { throw ValidationError("--items is at least 1000") }
        guard rounds > 0 else { throw ValidationError("--rounds is at least 1") }
    }

    func run() throws {
        Report.say("One thread, \(items) items, medians of \(rounds) rounds, seed \(seed).\n")
        var report = Report()
        var benchmark = LayoutBenchmark(items: items, rounds: rounds, seed: seed)
        for figure in try benchmark.figures() {
            report.add(figure.name, figure.measured, figure.reach, figure.beside)
        }
        report.print()
    }
}
