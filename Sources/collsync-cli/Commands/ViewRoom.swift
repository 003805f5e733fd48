import ArgumentParser
import CollSync
import SyncJSON

/// `view ROOM`: what a viewport shows of a room, live.
struct ViewRoom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Print what a viewport shows of a room, live.",
        discussion: """
            The server lays the room out and sends what the viewport shows of it, so that a room \
            of any size can be viewed. Each change is a line of JSON, {"viewUpdate":{…}}, the first \
            one all that is to be seen; so it goes on until it is interrupted.

              collsync-cli view room1 --layout waterfall --width 320 --y 1000
            """)

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    @Argument(help: "The room's name.")
    var room: String

    @Option(name: .long, help: "The layout.")
    var layout: LayoutSpec.Kind

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The layout's options, as a JSON object (default: its own).", valueName: "json"))
    var spec: String?

    @OptionGroup(title: "What is shown") var viewport: ViewportOptions

    @Option(name: .long, help: "How far around the viewport elements are wanted, in points.")
    var overscan = 0.0

    func validate() throws {
        guard overscan >= 0, overscan.isFinite else {
            throw ValidationError("--overscan must be a number of at least 0")
        }
    }

    func run() async throws {
        let options = options.resolved(parent.options)
        let (room, bounds, overscan) = (room, viewport.bounds(), overscan)
        try await perform {
            let spec = try LayoutSpec(layout, options: spec)
            let viewer = Viewer(spec: spec, bounds: bounds, overscan: overscan, output: Output())
            try await Interruption.cancels {
                let client = try await options.connect()
                defer { client.closeAndWait() }
                try await viewer.show(room, through: client)
            }
        }
    }
}

/// Prints what a view shows.
struct Viewer: Sendable {
    /// What the view is called in the lines.
    static let name = "v1"

    var spec: LayoutSpec
    var bounds: Rect
    var overscan: Double
    let output: Output

    /// Goes on until the room or the view ends, or the task is cancelled, which also closes the client.
    func show(_ room: String, through client: CollectionClient) async throws {
        do {
            try await withTaskCancellationHandler {
                let room = try await client.join(room, options: JoinOptions(viewOnly: true))
                let view = try await room.openView(spec, bounds: bounds, overscan: overscan)
                for await event in view.events { try show(event) }
            } onCancel: {
                client.close()
            }
        } catch let error as CollectionError where error.code == "closed" {
            // So it was meant.
        }
    }

    private func show(_ event: ViewEvent) throws {
        switch event {
        case .updated(let change):
            try output.write([.viewUpdate(ViewLine(change, of: Viewer.name))])
        case .ended(let error): throw error
        }
    }
}
