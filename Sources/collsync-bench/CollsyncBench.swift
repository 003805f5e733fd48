import ArgumentParser
import Glibc

/// The benchmarks. Each prints a report of its measurements beside a limit, or beside a rival that
/// was measured in the same run.
@main
struct CollsyncBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collsync-bench",
        abstract: "Measures collsync beside its rivals.",
        subcommands: [
            EngineCommand.self, TickCommand.self, CostsCommand.self, LayoutCommand.self,
            ServerCommand.self, TLSCommand.self, HTTPCommand.self, ViewsCommand.self,
            AttacksCommand.self, RivalsCommand.self, BroadcasterCommand.self,
            AnswererCommand.self,
        ])

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            end(with: error)
        }
    }

    /// Prints why the program ends, and ends it. The message may quote arguments or a server, so it
    /// is escaped.
    private static func end(with error: any Error) -> Never {
        let code = exitCode(for: error)
        let message = fullMessage(for: error)
        if code == .success {
            Report.say(message)
        } else if message != "" {
            Report.sayMeanwhile(message)
        }
        Glibc.exit(code.rawValue)
    }
}
