import ArgumentParser

/// The benchmarks: each prints a report that sets what it measured beside a limit or a rival measured in
/// the same run.
@main
struct CollsyncBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collsync-bench",
        abstract: "Measures collsync beside its rivals.",
        subcommands: [
            EngineCommand.self, TickCommand.self, LayoutCommand.self, ServerCommand.self,
            ViewsCommand.self, AttacksCommand.self, RivalsCommand.self, BroadcasterCommand.self,
        ])
}
