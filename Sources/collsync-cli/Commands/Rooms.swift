import ArgumentParser
import CollSync
import SyncModel
import SyncTerminal

/// `rooms`: lists the rooms.
struct Rooms: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the rooms.")

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    func run() async throws {
        let options = options.resolved(parent.options)
        try await perform {
            let client = try await options.connect()
            defer { client.closeAndWait() }
            let output = Output()
            for room in try await client.rooms() {
                if options.printsJSON {
                    try output.write(
                        Facts([
                            ("name", .text(room.name)), ("revision", .count(room.revision)),
                            ("members", .count(UInt64(room.members))),
                        ]).value)
                } else {
                    let members = room.members == 0 ? "nobody" : "\(room.members)"
                    try output.write(
                        text: "\(room.name)  revision \(room.revision), \(members) in it\n")
                }
            }
        }
    }
}

/// `stats ROOM`: prints a room's figures.
struct Stats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a room's figures, and the server's.")

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    @Argument(help: "The room's name.")
    var room: String

    func run() async throws {
        let options = options.resolved(parent.options)
        try await perform {
            let client = try await options.connect()
            defer { client.closeAndWait() }
            let stats = try await client.stats(of: room)
            let facts = Facts(
                [
                    ("room", .text(room)), ("id", .text(stats.id)), ("epoch", .text(stats.epoch)),
                    ("revision", .count(stats.revision)), ("horizon", .count(stats.horizon)),
                    ("oldestRevision", .count(stats.oldestRevision)),
                    ("snapshotRevision", .count(stats.snapshotRevision)),
                ] + counts(stats.figures.all)
                    + [
                        ("account", .facts(Facts(counts(stats.account.all)))),
                        ("server", .facts(Facts(counts(stats.server.all)))),
                    ])
            let output = Output()
            if options.printsJSON {
                try output.write(facts.value)
            } else {
                try output.write(text: facts.text)
            }
        }
    }

    private func counts(_ figures: [Figure]) -> [(String, Facts.Fact)] {
        figures.map { ($0.name, .count($0.value)) }
    }
}

/// Named figures, for programs or for people.
struct Facts {
    enum Fact {
        case text(String)
        case count(UInt64)
        indirect case facts(Facts)
    }

    private let facts: [(name: String, fact: Fact)]

    /// If several facts have the same name, the first one counts.
    init(_ facts: [(String, Fact)]) {
        var names: Set<[UInt8]> = []
        self.facts = facts.filter { names.insert(Array($0.0.utf8)).inserted }.map {
            (name: $0, fact: $1)
        }
    }

    var value: Value {
        .object(
            facts.compactMap { name, fact in
                guard let name = try? Identifier(name) else { return nil }
                switch fact {
                case .text(let text): return Field(name: name, value: .text(text))
                case .count(let count): return Field(name: name, value: .number(Double(count)))
                case .facts(let facts): return Field(name: name, value: facts.value)
                }
            })
    }

    /// A number for people: a limit of 0 is none, and bytes have units.
    private static func text(of count: UInt64, named name: String) -> String {
        if count == 0, name.hasSuffix("Limit") { return "no limit" }
        let isBytes =
            name.hasSuffix("Bytes")
            || ["memoryLimit", "storedLimit", "diskLimit", "recentLogByteLimit"].contains(name)
        guard isBytes, count >= 1 << 10 else { return "\(count)" }
        var (scaled, units) = (Double(count), ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...])
        var unit = "bytes"
        while scaled >= 1024, let larger = units.popFirst() {
            (scaled, unit) = (scaled / 1024, larger)
        }
        let tenths = (scaled * 10).rounded() / 10
        return "\(tenths < 100 ? "\(tenths)" : "\(Int(tenths))") \(unit)"
    }

    var text: TerminalText {
        facts.map { name, fact -> TerminalText in
            switch fact {
            case .text(let text): "\(name): \(text)\n"
            case .count(let count): "\(name): \(Facts.text(of: count, named: name))\n"
            case .facts(let facts): "\(name):\n\(facts.text)"
            }
        }.joined()
    }
}
