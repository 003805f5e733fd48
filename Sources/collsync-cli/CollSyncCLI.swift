import ArgumentParser
import Glibc
import SyncLoop
import SyncTerminal

/// The command-line client: rooms for people on a terminal and for programs in a pipe.
///
/// Each command is a file in `Commands`. All share ``ServerOptions`` for the server's address,
/// ``Output`` for writing lines, ``Failure`` for errors and exit codes, and ``Interruption``, which
/// turns signals into cancelled tasks.
@main
struct CollSyncCLI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collsync-cli",
        abstract: "Edit shared ordered collections together, live.",
        discussion: """
            On a terminal the output is for people; else, or with --json, it is one JSON object \
            a line. Arguments are UTF-8, and are refused if they are not.

            Exit codes: 0 done, 64 usage, 65 bad data, 69 no server, 74 output failed, 75 try \
            again, 77 not allowed.
            """,
        version: CollSyncCLI.version,
        subcommands: [
            Join.self, ViewRoom.self, Tail.self, Export.self, Import.self, Layout.self, Render.self,
            Rooms.self, Stats.self, DeleteRoom.self, RevokeAccess.self,
        ])

    static let version = "0.1.0"

    @OptionGroup var options: ServerOptions

    static func main() async {
        ProgramLife.begin()
        do {
            if let number = ProgramLife.unreadableArgument {
                throw ValidationError("argument \(number) is not UTF-8")
            }
            let arguments = Array(CommandLine.arguments.dropFirst())
            if let message = unknownCommand(in: arguments) { throw ValidationError(message) }
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// What is wrong with arguments that do not begin with a command.
    static func unknownCommand(in arguments: [String]) -> String? {
        UnknownCommand.message(
            for: arguments, among: configuration.subcommands.map { $0._commandName },
            usage: usageString())
    }

    /// Prints why the program ends, and ends it. The message may quote arguments, so it is escaped
    /// for terminals.
    private static func end(with error: any Error) -> Never {
        let code = exitCode(for: error)
        let message = TerminalText(lines: fullMessage(for: error))
        if code == .success {
            try? Output().write(text: message + "\n")
        } else if message != "" {
            Terminal.say(message)
        }
        Glibc.exit(code.rawValue)
    }
}
