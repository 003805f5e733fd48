import ArgumentParser
import CollSync
import SyncTerminal

/// `import ROOM FILE`: fills a room.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fill an empty room from a JSON snapshot, or add one to a room.")

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    @Argument(help: "The room's name; a missing room is created.")
    var room: String

    @Argument(help: "A file of 'export'; - is standard input.")
    var file: String

    @Flag(name: .long, help: "Add to the room; items that it already has stay as they are.")
    var append = false

    func run() async throws {
        let options = options.resolved(parent.options)
        let (room, file, append) = (room, file, append)
        try await perform {
            try await Interruption.cancels {
                let file = try SnapshotFile(path: file)
                let client = try await options.connect()
                defer { client.closeAndWait() }
                let importer = try await Importer(client: client, room: room, append: append)
                let summary = try await importer.run(file)
                Terminal.say("\(summary)")
            }
        }
    }
}
