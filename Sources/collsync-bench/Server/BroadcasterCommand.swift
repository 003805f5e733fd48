import ArgumentParser
import CBenchmark

/// `collsync-bench broadcaster`: the rival in `collsync-bench server`.
struct BroadcasterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcaster",
        abstract:
            "Serve the bare broadcaster: total order, append and sync, one write a connection.",
        shouldDisplay: false)

    @Argument(help: "The file to append to; nothing is kept, if none is named.")
    var log: String?

    func run() throws {
        throw ExitCode(collsync_broadcast(log))
    }
}
