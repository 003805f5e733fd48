import ArgumentParser
import CollSync
import SyncJSON
import SyncModel
import SyncPicture

/// `view ROOM`: shows a viewport of a room, live.
struct ViewRoom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Show a viewport of a room, live.",
        discussion: """
            The server lays the room out and sends only what the viewport shows, so that a room \
            of any size can be viewed. On a terminal the viewport is the window. Arrows, Page Up \
            and Page Down, Home and End scroll, Tab and Shift-Tab select the next item and the one \
            before, l switches to the next layout without a transition, q quits. In a line, \
            scrolling ends with an item in the middle, and arrows go to the next one. m picks the \
            selected item up; arrows carry it over its neighbours, Enter drops it, Escape cancels.

            In a pipe, or with --json, each change is a line of JSON, {"viewUpdate":{…}}; the first \
            one has the whole screen. It runs until it is interrupted.

              collsync-cli view room1 --layout waterfall --width 320 --y 1000
            """)

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    @Argument(help: "The room's name.")
    var room: String

    @Option(name: .long, help: "The layout.")
    var layout = LayoutSpec.Kind.flow

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The layout's options, as a JSON object (default: its own).", valueName: "json"))
    var spec: String?

    @OptionGroup(title: "What is shown") var viewport: ViewportOptions

    @Option(
        name: .long,
        help: """
            How far around the viewport elements are sent, in points (default: 0; on a terminal, \
            a screen).
            """)
    var overscan: Double?

    @OptionGroup(title: "On a terminal") var screen: ScreenOptions

    func validate() throws {
        guard let overscan else { return }
        guard overscan >= 0, overscan.isFinite else {
            throw ValidationError("--overscan must be a number of at least 0")
        }
    }

    func run() async throws {
        let command = self
        try await perform {
            try await Interruption.cancels { try await command.show() }
        }
    }

    /// Shows the room until it or the view ends, or the task is cancelled.
    func show() async throws {
        let options = options.resolved(parent.options)
        let spec = try LayoutSpec.given(layout, options: spec)
        guard options.printsJSON || ScreenOptions.hasScreen else {
            throw Failure(
                "this terminal can't be drawn on: add --json", exitCode: Failure.usage)
        }
        let client = try await options.connect()
        defer { client.closeAndWait() }
        // Without an edit nothing would be written, so the reader's end is not found out.
        let watch = OutputWatch { client.close() }
        defer { watch?.finish() }
        do {
            try await withTaskCancellationHandler {
                // Joining creates a missing room, so check first.
                _ = try await client.stats(of: room)
                let room = try await client.join(room, options: JoinOptions(viewOnly: true))
                if options.printsJSON {
                    try await printLines(room, spec)
                } else {
                    try await draw(room, spec)
                }
            } onCancel: {
                client.close()
            }
        } catch let error as CollectionError where error.code == "closed" {
            // The client itself has closed the room.
        }
    }

    /// The name of the view in the lines.
    private static let viewName: Identifier = "v1"

    private func printLines(_ room: CollectionRoom, _ spec: LayoutSpec) async throws {
        let output = Output()
        let bounds = viewport.bounds()
        let view = try await room.openView(
            spec, bounds: bounds, overscan: overscan ?? 0, atBeginning: viewport.isAtBeginning)
        var known: ListPoint? = bounds.origin
        for await event in view.events {
            switch event {
            case .updated(let change):
                var line = ViewLine(change, of: ViewRoom.viewName)
                // The first change is all that is shown. It does not say how the bounds got there.
                if let given = known.take(), given != change.bounds.origin {
                    line.offset = change.bounds.origin
                }
                try output.write([.viewUpdate(line)])
            case .dragged, .dragEnded: break
            case .ended(let error): throw error
            }
        }
    }

    private func draw(_ room: CollectionRoom, _ spec: LayoutSpec) async throws {
        let window = FullScreen.size
        func state(at origin: ListPoint) -> ViewerState {
            ViewerState(
                room: room.name, titles: TitleField(name: screen.title), spec: spec,
                scale: screen.scale(viewport), window: window, origin: origin)
        }
        let given = state(at: viewport.bounds().origin)
        let view = try await room.openView(
            spec, bounds: given.bounds, overscan: overscan ?? given.overscan,
            atBeginning: viewport.isAtBeginning)
        let shown = try await view.screen()
        try await RoomViewer(room: room, view: view, state: state(at: shown.bounds.origin)).run()
    }
}
