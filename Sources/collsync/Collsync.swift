import ArgumentParser
import Glibc
import SyncLoop
import SyncTerminal

/// The server program.
@main
struct Collsync: ParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "collsync",
        abstract: "A server for ordered collections that many edit at once.",
        discussion: """
            Arguments are UTF-8, and are refused if they are not.

            Exit codes: 0 for success; 64 for wrong usage; 65 when 'verify' finds something \
            wrong, or an audit trail is damaged; 66 when there is no such store, room or audit trail; 69 when the \
            address can't be used; 70 for an internal error; 73 when there is a room already that is to be restored; 74 \
            when the store or the audit trail can't be read or written; 75 when the store or the audit trail is in use, \
            or too much was written during a backup; 78 when a config file, a certificate, a key or a socket of the \
            service manager can't be used.
            """,
        version: "collsync \(version)",
        subcommands: [
            ServeCommand.self, TokenCommand.self, VerifyCommand.self, BackupCommand.self,
            RestoreCommand.self, PurgeCommand.self, AuditCommand.self,
        ])

    static func main() {
        ProgramLife.begin()
        do {
            if let number = ProgramLife.unreadableArgument {
                throw ValidationError("argument \(number) is not UTF-8")
            }
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            end(with: error)
        }
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.first == ServeCommand.configuration.commandName else {
            if let message = unknownCommand(in: arguments) { throw ValidationError(message) }
            var command = try parseAsRoot(arguments)
            return try command.run()
        }
        let arguments = try ServeArguments(Array(arguments.dropFirst()))
        let command: ServeCommand
        do {
            command = try arguments.parse()
        } catch let error as ConfigError {
            throw fail(error.text, .configuration)
        }
        try command.run(arguments)
    }

    /// What is wrong with arguments that do not begin with a command.
    static func unknownCommand(in arguments: [String]) -> String? {
        UnknownCommand.message(
            for: arguments, among: configuration.subcommands.map { $0._commandName },
            usage: usageString())
    }

    /// Prints why the program ends, and ends it. The text may quote arguments, so it is printed as
    /// `TerminalText`.
    private static func end(with error: any Error) -> Never {
        let code = exitCode(for: error)
        let message = TerminalText(lines: ValueHint.added(to: fullMessage(for: error)))
        if code == .success {
            writeOutput(message)
        } else if message != "" {
            writeError(message)
        }
        Glibc.exit(code.rawValue)
    }
}
