import ArgumentParser
import Foundation
import SyncTerminal

/// The flags that a config file can set.
///
/// These are the flags of `collsync serve`, as its parser describes them, so a new flag is among
/// them by itself.
struct FlagNames {
    enum Kind {
        /// A flag without a value.
        case toggle
        case value
        /// A flag that may be given several times, with a value each.
        case list
    }

    private let kinds: [String: Kind]

    /// Flags that only the command line has.
    private static let excluded: Set<String> = ["config", "help", "version"]

    static let ofServe = FlagNames(of: ServeCommand._dumpHelp())

    /// - Parameter description: the JSON that the parser describes a command with.
    private init(of description: String) {
        let tool = try? JSONDecoder().decode(Tool.self, from: Data(description.utf8))
        var kinds: [String: Kind] = [:]
        for argument in tool?.command.arguments ?? [] {
            for name in argument.names ?? []
            where name.kind == "long" && !FlagNames.excluded.contains(name.name) {
                kinds[name.name] =
                    argument.kind == "flag" ? .toggle : argument.isRepeating ? .list : .value
            }
        }
        self.kinds = kinds
    }

    /// All names, without dashes, in alphabetical order.
    var all: [String] { kinds.keys.sorted() }

    /// What a name stands for; `nil` if there is no such flag.
    subscript(name: String) -> Kind? { kinds[name] }

    /// The name that a misspelled one probably means.
    func nearest(to written: String) -> String? {
        let name = String(written.drop { $0 == "-" }).lowercased().replacing("_", with: "-")
        return NearestWord.among(all, to: name)
    }
}

/// What is used of the parser's description of a command.
private struct Tool: Decodable {
    struct Command: Decodable {
        let arguments: [Argument]
    }

    struct Argument: Decodable {
        let kind: String
        let isRepeating: Bool
        let names: [Name]?
    }

    struct Name: Decodable {
        let kind: String
        let name: String
    }

    let command: Command
}
