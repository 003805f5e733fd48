import ArgumentParser

/// `collsync-bench tick`
struct TickCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tick", abstract: "A tick of a room with members, without a system below it.",
        discussion: """
            The whole server, in a simulated network on one thread and with its log in memory. A tick \
            begins when writers send edits together, and ends when every member has the batch. Each run \
            with the same options does the same work, so that instructions can be counted and compared, \
            for example with `valgrind --tool=callgrind`.
            """)

    @Option(help: "How many members the room has.")
    var members = 100

    @Option(help: "How many of them write in the ticks that bring many edits.")
    var writers = 10

    @Option(help: "How many edits each of those writes a tick.")
    var edits = 100

    @Option(help: "How many items the room has.")
    var items = 10_000

    @Option(help: "How many ticks of each kind.")
    var ticks = 500

    @Option(help: "The seed of chance.")
    var seed: UInt64 = 1

    func validate() throws {
        guard members > 0, ticks > 0, 1...members ~= writers, 1...1000 ~= edits, items > 1 else {
            throw ValidationError("there is no tick with such numbers")
        }
    }

    func run() throws {
        let benchmark = try TickBenchmark(members: members, items: items, seed: seed)
        var report = Report(["a tick of \(members) members", "measured", "", ""])
        for load in [
            TickBenchmark.Load(writers: 1, edits: 1),
            TickBenchmark.Load(writers: writers, edits: edits),
        ] {
            let seconds = try benchmark.play(load, ticks: ticks) / Double(ticks)
            report.add(
                "\(load.writers) × \(load.edits) edits", Report.milliseconds(seconds), "", nil)
        }
        report.print()
    }
}
