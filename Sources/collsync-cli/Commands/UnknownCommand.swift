import ArgumentParser
import SyncTerminal

/// Detects a word that is no command in the place of the command.
enum UnknownCommand {
    /// The error for arguments that do not begin with a command; `nil` if they do.
    ///
    /// - Parameter arguments: the program's arguments, without its name.
    static func message(
        for arguments: [String], of program: any ParsableCommand.Type = CollSyncCLI.self
    ) -> String? {
        let names = program.configuration.subcommands.map { $0._commandName } + ["help"]
        guard let word = word(in: arguments, of: program), !names.contains(word) else { return nil }
        let nearest = NearestWord.among(names, to: word).map { ", did you mean '\($0)'?" }
        return "there is no command '\(word)'\(nearest ?? "; --help names them all")"
    }

    /// The program's options whose value is the next argument, as its usage names them.
    private static func optionsWithValue(of program: any ParsableCommand.Type) -> [String] {
        program.usageString().matches(of: /(--[a-z-]+) </).map { String($0.1) }
    }

    /// The first argument that is not an option.
    private static func word(
        in arguments: [String], of program: any ParsableCommand.Type
    ) -> String? {
        let optionsWithValue = optionsWithValue(of: program)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if optionsWithValue.contains(argument) {
                _ = rest.popFirst()
            } else if !argument.hasPrefix("-") {
                return argument
            }
        }
        return nil
    }
}
