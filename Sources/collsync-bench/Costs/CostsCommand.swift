import ArgumentParser
import Foundation
import SyncRoom
import SyncServer

/// `collsync-bench costs`
struct CostsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "costs", abstract: "The cost of work, beside its price in a server's budget.",
        discussion: """
            A server spends the steps of its turns (`collsync serve --turn-steps`) by a price list. Each kind of work \
            in the list is measured here, on one thread, in a room of many items, most of which are in no cache. A \
            turn of the default number of steps should take \(CostsCommand.turnMilliseconds) ms. Work that takes more than twice its price blocks a \
            loop for too long; work that takes less than its price only makes turns shorter. Then a server gets \
            requests over HTTP: a second table has what each takes of the loop's thread, beside the steps that the \
            loop counts for it, and what it takes of other threads.
            """)

    @Option(help: "How many items the room has.")
    var items = 1_000_000

    @Option(help: "How often each kind is measured; the median counts.")
    var rounds = 5

    @Option(help: "How many requests over HTTP of each kind are measured; 0 for none.")
    var requests = 500

    @Option(help: "The seed of chance.")
    var seed: UInt64 = 1

    func validate() throws {
        guard items >= 1000, rounds > 0 else {
            throw ValidationError("--items is at least 1000, and --rounds at least 1")
        }
    }

    func run() throws {
        let benchmark = try CostBenchmark(items: items, rounds: rounds, seed: seed)
        let step = Double(Self.turnMilliseconds) * 1e6 / Double(ServerConfiguration().turnSteps)
        Report.say("A room of \(items) items; a step is to take \(Self.text(step)) ns.\n")
        var report = Report(["a unit of", "takes", "its price", "× its price"])
        var worst = 0.0
        for cost in WorkCost.allCases {
            let taken = try benchmark.nanoseconds(of: cost, rounds: rounds)
            let price = Double(cost.price.steps) / Double(cost.price.units) * step
            let factor = taken / price
            worst = max(worst, factor)
            report.add(
                "\(cost)", "\(Self.text(taken)) ns", "\(Self.text(price)) ns",
                Self.text(factor) + (factor > 2 ? "  TOO LOW" : ""))
        }
        report.print()
        Report.say(
            "\nA turn of nothing but the work that is furthest over its price takes"
                + " \(Self.text(worst * Double(Self.turnMilliseconds))) ms.")
        if requests > 0 { try measureRequests() }
    }

    private func measureRequests() throws {
        let scratch = try ScratchFolder(in: nil)
        let items = min(items, CostsCommand.mostItems)
        let costs = try CostOfRequests(
            Programs.besideThis(cores: .apart), items: items, folder: scratch.path)
        Report.say("\nRequests over HTTP, to a room of \(items) items.\n")
        var report = Report([
            "a request", "takes the loop", "counted as", "× that, and other threads",
        ])
        for kind in CostOfRequests.kinds {
            let cost = try costs.cost(of: kind, count: requests)
            let factor = cost.loop / cost.counted
            report.add(
                kind.name, "\(Self.text(cost.loop / 1000)) µs",
                "\(Self.text(cost.counted / 1000)) µs",
                "\(Self.text(factor))\(factor > 2 ? "  TOO LOW" : ""),"
                    + " \(Self.text(cost.aside / 1000)) µs")
        }
        report.print()
    }

    private static let mostItems = 10_000

    private static let turnMilliseconds = 10

    private static func text(_ number: Double) -> String {
        String(format: number < 10 ? "%.2f" : "%.0f", number)
    }
}
