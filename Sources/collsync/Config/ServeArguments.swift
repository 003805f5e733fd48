import ArgumentParser

/// The arguments of `collsync serve`, with those of the config file that they name.
///
/// The file's arguments stand before the others. Of a flag with one value the parser uses the last
/// one, so the command line wins. A list on the command line replaces the file's list.
struct ServeArguments: Sendable {
    /// The arguments after `serve`.
    let written: [String]
    /// The config file; `nil` without one.
    let file: String?

    /// - Parameter written: the arguments after `serve`.
    init(_ written: [String]) throws {
        self.written = written
        var files: [String] = []
        for (index, argument) in written.prefix(while: { $0 != "--" }).enumerated() {
            if argument.hasPrefix("--config=") {
                files.append(String(argument.dropFirst("--config=".count)))
            } else if argument == "--config", index + 1 < written.count {
                files.append(written[index + 1])
            }
        }
        guard files.count <= 1 else { throw ValidationError("--config is given several times") }
        file = files.first
    }

    /// Reads the config file and parses all arguments.
    ///
    /// - Throws: a ``ConfigError`` if the file is to blame, or the parser's error.
    func parse() throws -> ServeCommand {
        let asksForHelp = written.contains { $0 == "--help" || $0 == "-h" }
        guard let file, !asksForHelp else { return try ServeArguments.parse(written) }
        let config = try ConfigFile(path: file)
        let names = Set(written.map { String($0.dropFirst(2).prefix { $0 != "=" }) })
        let entries = config.entries.filter { entry in
            FlagNames.ofServe[entry.name] != .list || !names.contains(entry.name)
        }
        do {
            return try ServeArguments.parse(entries.map(\.argument) + written)
        } catch {
            throw blame(for: error, config)
        }
    }

    private static func parse(_ arguments: [String]) throws -> ServeCommand {
        guard let command = try Collsync.parseAsRoot(["serve"] + arguments) as? ServeCommand else {
            // Only requests such as `--help` are other commands.
            throw CleanExit.helpRequest(ServeCommand.self)
        }
        return command
    }

    private static func message(of arguments: [String]) -> String? {
        do {
            _ = try parse(arguments)
            return nil
        } catch {
            return Collsync.message(for: error)
        }
    }

    /// The error of the parser, with the line of the file that caused it.
    private func blame(for error: any Error, _ config: ConfigFile) -> any Error {
        let message = Collsync.message(for: error)
        if ServeArguments.message(of: written) == message { return error }
        // A wrong value is wrong alone, too. Others contradict each other: the message names them.
        let culprit =
            config.entries.first { ServeArguments.message(of: [$0.argument]) == message }
            ?? config.entries.first { entry in
                message.split { !$0.isLetter && $0 != "-" }.contains { $0 == "--\(entry.name)" }
            }
        return ConfigError(
            file: config.path, line: culprit?.line, problem: ValueHint.added(to: message))
    }
}
