import ArgumentParser
import CollSync
import SyncJSON
import SyncLayout
import SyncModel
import SyncPicture
import SyncTerminal

/// `render ROOM`: draws a room's layout as a picture.
struct Render: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a layout of a room, or of a file, as SVG or PNG.",
        discussion: """
            It draws what a viewport shows, or with --whole all of the content. Cells have the \
            colours of their sections and the titles of their items. With --input it needs no \
            server: FILE is a file of 'export' or, without --layout, an input line of 'layout', \
            which has its own layout and viewport.

            A PNG uses DejaVu Sans, and for other characters any font of the system that has them: \
            Chinese, Japanese and Korean need one, such as that of the package fonts-wqy-microhei. \
            An SVG uses the fonts of the program that displays it.

              collsync-cli render room1 --layout waterfall --out room1.png
            """)

    @ParentCommand var parent: CollSyncCLI
    @OptionGroup var options: ServerOptions

    @Argument(help: "The room's name.")
    var room: String?

    @Option(name: .long, help: "The revision of the room (default: the newest).")
    var revision: UInt64?

    @Option(
        name: .long,
        help: ArgumentHelp("Draw a file instead; - is standard input.", valueName: "file"))
    var input: String?

    @Option(name: .long, help: "The layout.")
    var layout: LayoutSpec.Kind?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The layout's options, as a JSON object (default: its own).", valueName: "json"))
    var spec: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The file of the picture; its name ends in .svg or .png.", valueName: "file"))
    var out: PictureFile

    @OptionGroup(title: "What is shown") var view: ViewOptions

    func validate() throws {
        switch (room, input) {
        case (nil, nil): throw ValidationError("name a room, or a file with --input")
        case (.some, .some): throw ValidationError("name a room or a file, not both")
        default: break
        }
        if layout == nil {
            if room != nil { throw ValidationError("add --layout: a room needs a layout") }
            if spec != nil { throw ValidationError("--spec has options of a --layout: add it") }
        }
        if room == nil, revision != nil {
            throw ValidationError("--revision needs a room; a file has only one revision")
        }
    }

    func run() async throws {
        let command = self
        try await perform {
            try await Interruption.cancels { try await command.draw() }
        }
    }

    /// Draws the picture and writes it.
    func draw() async throws {
        let spec = try layoutSpec()
        let file = try AtomicFile(path: out.path)
        let drawing: Drawing
        if let spec {
            drawing = Drawing(try await sections(), spec: spec, view)
        } else {
            drawing = try await Drawing(layoutLineIn: input ?? "-", view)
        }
        let picture = try drawing.picture(ofWhole: view.whole)
        try out.write(picture, scale: view.scale, to: Output(descriptor: file.descriptor))
        try file.commit()
    }

    private func sections() async throws -> [Snapshot.SectionState] {
        guard let room else { return try await SnapshotFile(path: input ?? "-").sections() }
        let client = try await options.resolved(parent.options).connect()
        defer { client.closeAndWait() }
        return try await client.snapshot(of: room, at: revision).sections
    }

    /// The layout of the options; `nil` if the file has it.
    private func layoutSpec() throws -> LayoutSpec? {
        try layout.map { try LayoutSpec.given($0, options: spec) }
    }
}

/// The part of a layout to show, and how.
struct ViewOptions: ParsableArguments {
    @OptionGroup var viewport: ViewportOptions

    @Flag(name: .long, help: "Show all of the content, with nothing pinned.")
    var whole = false

    @Option(name: .long, help: "Pixels a point of a PNG.")
    var scale = 2.0

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The field that has the titles of items and sections.", valueName: "field"),
        transform: Identifier.ofField)
    var title: Identifier = "title"

    func validate() throws {
        guard scale > 0, scale.isFinite else {
            throw ValidationError("--scale must be a number above 0")
        }
    }
}

/// A picture file, whose extension is its format.
struct PictureFile: ExpressibleByArgument, Sendable, Equatable {
    enum Format: String, CaseIterable {
        case svg, png
    }

    let path: String
    let format: Format

    init?(argument path: String) {
        let format = Format.allCases.first { path.lowercased().hasSuffix(".\($0.rawValue)") }
        guard let format else { return nil }
        (self.path, self.format) = (path, format)
    }

    func write(_ picture: Picture, scale: Double, to output: Output) throws {
        let bytes: [UInt8]
        do {
            switch format {
            case .svg: bytes = Array(try picture.svg().utf8)
            case .png:
                var missing: Set<Unicode.Scalar> = []
                bytes = try picture.png(scale: scale, missing: &missing)
                PictureFile.warn(of: missing)
            }
        } catch {
            throw Failure(error)
        }
        try output.write(bytes: bytes)
    }
}

extension PictureFile {
    private static let mostNamed = 8

    /// Warns about characters that are drawn as boxes.
    private static func warn(of missing: Set<Unicode.Scalar>) {
        if missing.isEmpty { return }
        let some = missing.sorted().prefix(mostNamed).map { "\($0)" }.joined(separator: " ")
        Terminal.say(
            """
            warning: no font here has \(counted(missing.count, "character")), such as \(some); \
            fonts-wqy-microhei has those of Chinese, Japanese and Korean
            """)
    }
}

extension Failure {
    init(_ error: PictureError) {
        self.init(error.explanation, exitCode: Failure.badData, code: error.code)
    }
}
