import ArgumentParser
import Foundation
import SyncRoom

/// `collsync-bench costs`
struct CostsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "costs", abstract: "What work takes, beside its price in a server's budget.",
        discussion: """
            A server spends steps of its turns (`collsync serve --turn-steps`) by a price list. Each kind of work in \
            it is measured here, in one thread, in a room of many items, most of which are in no cache. A step is \
            what a step of the engine takes in the same room. Work that takes more than twice its price holds a loop \
            longer than its turns may; what takes less than its price only makes them shorter.
            """)

    @Option(help: "How many items the room has.")
    var items = 1_000_000

    @Option(help: "How often each kind is measured; the median counts.")
    var rounds = 5

    @Option(help: "The seed of chance.")
    var seed: UInt64 = 1

    func validate() throws {
        guard items >= 1000, rounds > 0 else {
            throw ValidationError("--items is at least 1000, and --rounds at least 1")
        }
    }

    func run() throws {
        let benchmark = try CostBenchmark(items: items, seed: seed)
        let step = try benchmark.nanosecondsPerStep(rounds: rounds)
        Report.say("A room of \(items) items; a step takes \(Self.text(step)) ns here.\n")
        var report = Report(["a unit of", "takes", "its price", "× its price"])
        for cost in WorkCost.allCases {
            let taken = try benchmark.nanoseconds(of: cost, rounds: rounds)
            let price = Double(cost.price.steps) / Double(cost.price.units) * step
            let factor = taken / price
            report.add(
                "\(cost)", "\(Self.text(taken)) ns", "\(Self.text(price)) ns",
                Self.text(factor) + (factor > 2 ? "  TOO LOW" : ""))
        }
        report.print()
    }

    private static func text(_ number: Double) -> String {
        String(format: number < 10 ? "%.2f" : "%.0f", number)
    }
}
