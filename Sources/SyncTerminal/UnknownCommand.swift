/// Detects a word that is no command in the place of the command.
package enum UnknownCommand {
    /// The error for arguments that do not begin with a command; `nil` if they do.
    ///
    /// - Parameters:
    ///   - arguments: the program's arguments, without its name.
    ///   - commands: the program's commands.
    ///   - usage: the program's usage, which names the options whose value is the next argument.
    package static func message(
        for arguments: [String], among commands: [String], usage: String
    ) -> String? {
        let options = usage.matches(of: /(--[a-z-]+) </).map { String($0.1) }
        guard let word = word(in: arguments, optionsWithValue: options),
            !commands.contains(word), word != "help"
        else { return nil }
        let nearest = NearestWord.among(commands, to: word).map { ", did you mean '\($0)'?" }
        return "there is no command '\(word)'\(nearest ?? "; --help names them all")"
    }

    /// The first argument that is not an option.
    private static func word(in arguments: [String], optionsWithValue: [String]) -> String? {
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
