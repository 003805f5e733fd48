import ArgumentParser
import CollSync

/// `export ROOM`: writes a room as one JSON object.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a room as one JSON object.")

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    @Argument(help: "The room's name.")
    var room: String

    @Option(name: .long, help: "The revision (default: the newest).")
    var revision: UInt64?

    @Option(
        name: .long,
        help: """
            The file; it is replaced at the end, also behind a link (default: standard output).
            """)
    var out: String?

    func run() async throws {
        let options = options.resolved(parent.options)
        let (room, revision, out) = (room, revision, out)
        try await perform {
            try await Interruption.cancels {
                let client = try await options.connect()
                defer { client.closeAndWait() }
                let parts = try client.snapshotParts(of: room, at: revision)
                guard let out else {
                    return try await SnapshotPrinter(room: room, output: Output()).print(parts)
                }
                let file = try AtomicFile(path: out)
                try await SnapshotPrinter(room: room, output: Output(descriptor: file.descriptor))
                    .print(parts)
                try file.commit()
            }
        }
    }
}
