import ArgumentParser
import Glibc
import SyncIO
import SyncLoop

/// `collsync-bench answerer`: the rival in `collsync-bench http post`.
struct AnswererCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answerer",
        abstract:
            "Answer each HTTP request with 200, once what came in the same turn is appended and synced.",
        shouldDisplay: false)

    @Argument(help: "The file to append the bodies to.")
    var log: String

    func run() throws {
        let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw BenchError("cannot write to \(log)") }
        let thread = try LoopPlatform().startLoop(named: "answerer") { loop in
            do {
                let answerer = BareAnswerer(on: loop, log: descriptor)
                let listener = try loop.listen(
                    on: SocketAddress(host: "127.0.0.1", port: 0), accept: answerer.accept)
                Report.say("answering on \(listener.address)")
                fflush(nil)
            } catch {
                Report.sayMeanwhile("\(error)")
                loop.stop()
            }
        }
        thread.join()
    }
}
