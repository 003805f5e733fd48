import ArgumentParser
import CollSync
import CollSyncUV
import Glibc

/// Where the server is and how to print: the options that all commands share. They may stand before
/// the command's name or behind it.
struct ServerOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The server (default: 127.0.0.1:7420, or what COLLSYNC_SERVER says).",
            valueName: "host:port"))
    var server: String?

    @Flag(name: .long, help: "Print JSON lines, also on a terminal.")
    var json = false

    static let usualServer = "127.0.0.1:7420"

    /// What holds when the options of the command and those before its name are put together.
    func resolved(_ outer: ServerOptions) -> ResolvedOptions {
        let address =
            server ?? outer.server ?? ServerOptions.environment("COLLSYNC_SERVER")
            ?? ServerOptions.usualServer
        return ResolvedOptions(
            server: address, printsJSON: json || outer.json || isatty(STDOUT_FILENO) == 0)
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}

/// What the shared options come to.
struct ResolvedOptions: Sendable, Equatable {
    var server: String
    var printsJSON: Bool

    /// Connects to the server; what fails is a ``Failure``.
    func connect() async throws -> CollectionClient {
        do {
            return try await CollectionClient.connect(
                to: server, agent: "collsync-cli/\(CollSyncCLI.version)")
        } catch {
            throw Failure(connecting: error, to: server)
        }
    }
}

extension AsyncParsableCommand {
    /// Runs a command's body to its end and prints what went wrong.
    func perform(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as Failure {
            failure.report()
            throw ExitCode(failure.exitCode)
        } catch let error as CollectionError {
            let failure = Failure(error)
            failure.report()
            throw ExitCode(failure.exitCode)
        } catch is OutputClosed {
            // Whoever read has gone; there is nothing left to say to anyone.
        }
    }
}
