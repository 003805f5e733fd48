import ArgumentParser
import SyncEngine

/// `collsync-bench engine`
struct EngineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine", abstract: "One room's engine on one thread.")

    @Option(help: "How many items the room has.")
    var items = 1_000_000

    @Option(help: "How many edits of each kind.")
    var edits = 1_000_000

    @Option(help: "The seed of chance.")
    var seed: UInt64 = 1

    func run() throws {
        print("bytes per item", try EngineBenchmark.bytesPerItem(items: items, seed: seed))
        var benchmark = try EngineBenchmark(items: items, edits: edits, seed: seed)
        try benchmark.run()
        for figure in benchmark.figures {
            print(figure.name, figure.perSecond / 1e6, "million a second")
        }
    }
}
