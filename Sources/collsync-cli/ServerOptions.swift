import ArgumentParser
import CollSync
import CollSyncUV
import Glibc
import SyncClient

/// The server's address and the output format: the options of all commands. They may be before the
/// command's name or after it.
struct ServerOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The server (default: 127.0.0.1:7420, or what COLLSYNC_SERVER says).",
            discussion: """
                It is HOST:PORT, or the URL of a WebSocket: ws://HOST, or wss://HOST by TLS. A port \
                may follow (80 and 443 if none does), and a path (/v1/ws if none does).
                """,
            valueName: "host:port"))
    var server: String?

    @Flag(name: .long, help: "Print JSON lines, also on a terminal.")
    var json = false

    @OptionGroup(title: "TLS")
    var tls: TLSOptions

    @OptionGroup(title: "Tokens")
    var token: TokenOptions

    static let usualServer = "127.0.0.1:7420"

    /// Combines the options of the command with those before its name.
    ///
    /// - Parameter environment: the value of an environment variable; `nil` if it is empty.
    func resolved(
        _ outer: ServerOptions, environment: (String) -> String? = ServerOptions.environment
    ) -> ResolvedOptions {
        let address =
            server ?? outer.server ?? environment("COLLSYNC_SERVER") ?? ServerOptions.usualServer
        let tokenFile = (token.tokenFile ?? outer.token.tokenFile).map { TokenFile(path: $0) }
        let variable = tokenFile == nil ? environment("COLLSYNC_TOKEN") : nil
        return ResolvedOptions(
            server: address, printsJSON: json || outer.json || isatty(STDOUT_FILENO) == 0,
            tls: tls.resolved ?? outer.tls.resolved,
            token: tokenFile.map { .file($0) } ?? variable.map { .text(AccessToken($0)) },
            sendsTokenInClear: token.tokenInClear || outer.token.tokenInClear)
    }

    static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}

/// The effective values of the shared options.
struct ResolvedOptions: Sendable, Equatable {
    var server: String
    var printsJSON: Bool
    /// How the connection is secured; `nil` if it is plain.
    var tls: TLSSettings?
    /// Where tokens come from; `nil` if there are none.
    var token: TokenOrigin?
    /// Whether tokens are also sent to another machine over a plain connection.
    var sendsTokenInClear = false

    /// Connects to the server. Throws a ``Failure`` on an error.
    func connect() async throws -> CollectionClient {
        let security = try tls?.makeClient()
        let agent = "collsync-cli/\(CollSyncCLI.version)"
        do throws(CollectionError) {
            switch token {
            case .file(let file):
                return try await CollectionClient.connect(
                    to: server, agent: agent, tls: security, sendsTokenInClear: sendsTokenInClear
                ) { try file.read() }
            case .text(let token):
                return try await CollectionClient.connect(
                    to: server, agent: agent, tls: security, token: token.text,
                    sendsTokenInClear: sendsTokenInClear)
            case nil:
                return try await CollectionClient.connect(to: server, agent: agent, tls: security)
            }
        } catch {
            throw Failure(connecting: error, to: server, byTLS: tls != nil)
        }
    }
}

extension AsyncParsableCommand {
    /// Runs a command's body, and prints its error.
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
            // The reader of the output has gone, so nobody would see an error.
        }
    }
}
