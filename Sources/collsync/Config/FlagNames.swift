import ArgumentParser
import SyncJSON
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
        var kinds: [String: Kind] = [:]
        let tool = try? JSONTree(parsing: description)
        for argument in tool?["command"]?["arguments"]?.elements ?? [] {
            let kind: Kind =
                if argument["kind"] == "flag" {
                    .toggle
                } else {
                    argument["isRepeating"] == true ? .list : .value
                }
            for name in argument["names"]?.elements ?? [] where name["kind"] == "long" {
                if let name = name["name"]?.string, !FlagNames.excluded.contains(name) {
                    kinds[name] = kind
                }
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
