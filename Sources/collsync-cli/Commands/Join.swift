import ArgumentParser
import CollSync
import SyncJSON

/// `join ROOM`: shows a room live, and edits it.
struct Join: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Join a room and edit it, live.",
        discussion: """
            In a pipe, or with --json, input and output are lines of JSON, such as \
            {"ops":[{"insert":{"item":{"id":"milk"},"to":{"section":"main"}}}]}. On a terminal \
            there are commands; 'help' lists them. A line may set the number of its answer by \
            "tx"; it is refused while that number is in flight.

            {"view":{"id":"v1","layout":{"kind":"waterfall"},"bounds":{"width":375,"height":667}}} \
            opens a view; then viewUpdate lines have the changes on its screen. With \
            --view-only nothing else of the room is printed.

            {"drag":{"begin":{"id":"milk","view":"v1"}}} begins to drag an item there, \
            {"drag":{"update":{"x":10,"y":240}}} moves it, {"drag":{"end":{}}} drops it and \
            {"drag":{"cancel":{}}} puts it back.

            {"presence":{"selected":["milk"]}} shows this selection to others; lines of \
            presence say who else is there and what they show.

            {"copy":{"ids":["milk"]}} and {"cut":…} print a clipboard, {"paste":{"to":{"section":\
            "main"}}} pastes it at a place; with "clipboard" it may be another program's.

            The exit code is 65 if a line could not be read, or a transaction was refused.
            """)

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    @Argument(help: "The room's name. Joining creates a missing room.")
    var room: String

    @Flag(name: .long, help: "Receive nothing of the room except its views; for programs.")
    var viewOnly = false

    @Flag(name: .long, help: "Print the authors of batches; for programs.")
    var authors = false

    func run() async throws {
        let options = options.resolved(parent.options)
        let room = room
        let joining = JoinOptions(viewOnly: viewOnly, presence: true, authors: authors)
        try await perform {
            for (name, isSet) in [("view-only", joining.viewOnly), ("authors", joining.authors)]
            where isSet && !options.printsJSON {
                throw Failure("--\(name) is for programs: add --json", exitCode: Failure.usage)
            }
            let isAllDone = try await Interruption.cancels {
                try await Join.run(room, joining, options)
            }
            if !isAllDone { throw ExitCode(Failure.badData) }
        }
    }

    /// - Returns: whether every line was readable and no transaction was rejected.
    private static func run(
        _ name: String, _ joining: JoinOptions, _ options: ResolvedOptions
    ) async throws -> Bool {
        let output = Output()
        let client = try await reporting(options, output) { try await options.connect() }
        defer { client.closeAndWait() }
        let room = try await reporting(options, output) {
            try await client.join(name, options: joining)
        }
        let typed =
            options.printsJSON || !EditedLines.isPossible ? nil : try EditedLines(output: output)
        let console: any RoomConsole =
            options.printsJSON
            ? JSONConsole(room: name, output: output)
            : PlainConsole(output: typed ?? output, makeID: { client.makeID() })
        let lines: any LineInput = try typed ?? LineReader()
        defer { lines.finish() }
        return try await JoinedRoom(room: room, console: console, viewOnly: joining.viewOnly).run(
            lines)
    }

    /// Runs `body`. With JSON output, it also prints an error as a line.
    private static func reporting<Result>(
        _ options: ResolvedOptions, _ output: Output, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let failure as Failure {
            if options.printsJSON { try output.write([.error(.init(failure))]) }
            throw failure
        } catch let error as CollectionError {
            if options.printsJSON { try output.write([.error(.init(error))]) }
            throw error
        }
    }
}
