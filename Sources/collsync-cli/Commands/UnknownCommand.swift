import ArgumentParser
import SyncTerminal

/// A word that stands where a command should, and is none.
enum UnknownCommand {
    /// What to say about arguments that begin with no command; `nil` if there is nothing wrong with
    /// that.
    ///
    /// - Parameter arguments: those of the program, without its name.
    static func message(
        for arguments: [String], of program: any ParsableCommand.Type = CollSyncCLI.self
    ) -> String? {
        let names = program.configuration.subcommands.map { $0._commandName } + ["help"]
        guard let word = word(in: arguments), !names.contains(word) else { return nil }
        let nearest = NearestWord.among(names, to: word).map { ", did you mean '\($0)'?" }
        return "there is no command '\(word)'\(nearest ?? "; --help names them all")"
    }

    /// The first argument that is no option.
    private static func word(in arguments: [String]) -> String? {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--server" {
                _ = rest.popFirst()
            } else if !argument.hasPrefix("-") {
                return argument
            }
        }
        return nil
    }
}
