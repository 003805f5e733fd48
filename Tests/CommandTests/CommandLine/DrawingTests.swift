import ArgumentParser
import CollSync
import Glibc
import ModelSupport
import SyncLayout
import SyncModel
import SyncPicture
import Testing

@testable import collsync_cli

/// The options of `render`, and its pictures.
@Suite struct DrawingTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func render(_ arguments: [String]) throws -> Render {
        try #require(try CollSyncCLI.parseAsRoot(["render"] + arguments) as? Render)
    }

    private func view(_ arguments: [String] = []) throws -> ViewOptions {
        try render(["r", "--layout", "flow", "--out", "x.svg"] + arguments).view
    }

    private func item(_ name: String, _ fields: [Field] = [], size: ListSize? = nil) throws -> Item
    {
        Item(id: id(name), content: try ItemContent(size: size, fields: fields))
    }

    private func field(_ name: String, _ value: Value) -> Field {
        Field(name: id(name), value: value)
    }

    private func rooms() throws -> [Snapshot.SectionState] {
        let header = Supplementary(
            kind: id("header"), size: ListSize(width: 0, height: 30))
        let footer = Supplementary(
            kind: id("footer"), size: ListSize(width: 0, height: 30),
            fields: [field("title", .text("The end"))])
        let content = try SectionContent(
            fields: [field("title", .text("Sweets"))], supplementaries: [header, footer])
        return [
            Snapshot.SectionState(
                section: ListSection(id: id("main"), content: content),
                items: [
                    try item("a", [field("title", .text("Tart"))]),
                    try item("b", [field("title", .number(7)), field("name", .text("Seven"))]),
                    try item("c", size: ListSize(width: 100, height: 80)),
                ])
        ]
    }

    private func svg(_ drawing: Drawing, whole: Bool = false) throws -> String {
        try drawing.picture(ofWhole: whole).svg()
    }

    // MARK: Options

    @Test func everyOptionIsRead() throws {
        let command = try render([
            "room1", "--layout", "columnFlow", "--spec", "{}", "--out", "a/b.PNG", "--width", "10",
            "--height", "20.5", "--x", "-1", "--y", "-2.5", "--whole", "--scale", "3", "--title",
            "name", "--revision", "4", "--server", "h:1",
        ])
        #expect(command.layout == .columnFlow)
        #expect(command.out == PictureFile(argument: "a/b.PNG"))
        #expect(command.out.format == .png)
        let view = command.view
        #expect(view.viewport.bounds() == ListRect(x: -1, y: -2.5, width: 10, height: 20.5))
        #expect(view.whole && view.scale == 3 && view.title == "name")
        #expect(command.revision == 4)
    }

    @Test(arguments: [
        ["r", "--layout", "flow"], ["--layout", "flow", "--out", "x.svg"],
        ["r", "--input", "f", "--layout", "flow", "--out", "x.svg"], ["r", "--out", "x.svg"],
        ["r", "--layout", "grid", "--out", "x.svg"], ["r", "--layout", "flow", "--out", "x.gif"],
        ["r", "--layout", "flow", "--out", "svg"],
        ["--input", "f", "--spec", "{}", "--out", "x.svg"],
        ["--input", "f", "--layout", "flow", "--revision", "2", "--out", "x.svg"],
        ["r", "--layout", "flow", "--out", "x.svg", "--width", "0"],
        ["r", "--layout", "flow", "--out", "x.svg", "--height", "inf"],
        ["r", "--layout", "flow", "--out", "x.svg", "--scale", "-1"],
        ["r", "--layout", "flow", "--out", "x.svg", "--y", "nan"],
    ])
    func wrongUseIsRefused(arguments: [String]) {
        do {
            _ = try CollSyncCLI.parseAsRoot(["render"] + arguments)
            Issue.record("\(arguments) is accepted")
        } catch {
            #expect(CollSyncCLI.exitCode(for: error).rawValue == Failure.usage)
        }
    }

    // MARK: Pictures

    @Test func titlesAreWritten() throws {
        let sections = try rooms()
        let titles = RoomTitles(sections: sections, field: TitleField(name: "title"))
        func cell(_ item: Int) -> String {
            titles.text(on: .cell(ItemPath(section: 0, item: item)))
        }
        func supplementary(_ kind: Identifier) -> String {
            titles.text(on: .supplementary(kind: kind, section: 0))
        }
        #expect((0..<4).map(cell) == ["Tart", "7", "c", ""])
        #expect(supplementary("header") == "Sweets")
        #expect(supplementary("footer") == "The end")
        #expect(supplementary("note") == "note")
        #expect(titles.text(on: .cell(ItemPath(section: 1, item: 0))) == "")

        let names = RoomTitles(sections: sections, field: TitleField(name: "name"))
        #expect(names.text(on: .cell(ItemPath(section: 0, item: 1))) == "Seven")
        #expect(names.text(on: .supplementary(kind: "header", section: 0)) == "main")
        #expect(names.text(on: .supplementary(kind: "footer", section: 0)) == "3 items")
    }

    @Test func aRoomIsLaidOut() throws {
        let spec = LayoutSpec(kind: .flow)
        let viewport = try svg(Drawing(try rooms(), spec: spec, try view(["--height", "100"])))
        #expect(viewport.contains(#"viewBox="0 0 375 100""#))
        #expect(viewport.contains("Sweets") && viewport.contains("Tart"))
        #expect(!viewport.contains("The end"))
        let whole = try svg(Drawing(try rooms(), spec: spec, try view()), whole: true)
        #expect(whole.contains(#"viewBox="0 0 375 140""#))
        #expect(whole.contains("The end"))
        let below = try svg(Drawing(try rooms(), spec: spec, try view(["--y", "110"])))
        #expect(!below.contains("Tart") && below.contains("The end"))
    }

    @Test func nothingIsPinnedInTheWhole() throws {
        var spec = LayoutSpec(kind: .flow)
        spec.options.sectionFootersPinToVisibleBounds = true
        let drawing = Drawing(try rooms(), spec: spec, try view(["--height", "100"]))
        #expect(try svg(drawing).contains("The end"))
        let whole = try svg(drawing, whole: true)
        #expect(whole.contains(##"<rect x="0" y="110" width="375" height="30" fill="##))
    }

    @Test func aLineOfLayoutIsDrawn() async throws {
        let line = #"""
            {"layout":{"kind":"flow","headerReferenceSize":{"height":20}},"bounds":{"width":200,"height":90},"sections":[{"items":[{"width":80,"height":40,"id":"milk"},{"width":80,"height":40}]}]}
            nonsense

            """#
        close(try folder.file(holding: line))
        let drawing = try await Drawing(layoutLineIn: folder.path("input"), try view())
        let text = try svg(drawing)
        #expect(text.contains(#"viewBox="0 0 200 90""#))
        for title in ["Section 0", "milk", "1"] { #expect(text.contains(">\(title)</text>")) }
    }

    @Test(arguments: ["", "{}", "nonsense", #"{"snapshot":{"sections":[]}}"#])
    func wrongLinesAreRefused(text: String) async throws {
        close(try folder.file(holding: text))
        await #expect {
            try await Drawing(layoutLineIn: folder.path("input"), try view())
        } throws: { error in
            (error as? Failure)?.exitCode == Failure.badData
        }
    }

    @Test func whatIsTooLargeIsRefused() throws {
        let sections = [
            Snapshot.SectionState(
                section: ListSection(id: id("main")),
                items: try (0..<3_000).map { try item("\($0)") })
        ]
        let drawing = Drawing(sections, spec: LayoutSpec(kind: .flow), try view(["--width", "60"]))
        let picture = try drawing.picture(ofWhole: true)
        let file = try #require(PictureFile(argument: "x.png"))
        #expect {
            try file.write(picture, scale: 1, to: Output(descriptor: -1))
        } throws: { error in
            let failure = error as? Failure
            return failure?.code == "limitExceeded" && failure?.exitCode == Failure.badData
        }
    }

    // MARK: The whole command

    /// Runs a command without its watch on signals, which would get the signals that other tests
    /// raise.
    private func run(_ command: Render) async throws {
        try await command.perform { try await command.draw() }
    }

    @Test func aSnapshotBecomesAFile() async throws {
        let snapshot = #"{"sections":[{"id":"s","items":[{"id":"x","fields":{"title":"Tea"}}]}]}"#
        close(try folder.file(holding: snapshot))
        let out = folder.path("export")
        for name in ["\(out).svg", "\(out).png"] {
            defer { unlink(name) }
            let command = try render([
                "--input", folder.path("input"), "--layout", "mosaic", "--out", name,
            ])
            try await run(command)
            let file = open(name, O_RDONLY)
            var head = [UInt8](repeating: 0, count: 4)
            #expect(read(file, &head, 4) == 4)
            close(file)
            #expect(
                head == (name.hasSuffix("svg") ? Array("<svg".utf8) : [0x89, 0x50, 0x4E, 0x47]))
        }
    }

    @Test func aFailureLeavesNoFile() async throws {
        close(try folder.file(holding: "{"))
        let out = folder.path("export") + ".svg"
        let command = try render([
            "--input", folder.path("input"), "--layout", "flow", "--out", out,
        ])
        await #expect(throws: ExitCode(Failure.badData)) { try await run(command) }
        #expect(access(out, F_OK) != 0)
        let unwritable = try render([
            "--input", folder.path("input"), "--layout", "flow", "--out", "/nonexistent/x.svg",
        ])
        await #expect(throws: ExitCode(Failure.outputFailed)) { try await run(unwritable) }
        let wrongSpec = try render([
            "--input", folder.path("input"), "--layout", "flow", "--out", out, "--spec",
            #"{"kind":"line"}"#,
        ])
        await #expect(throws: ExitCode(Failure.usage)) { try await run(wrongSpec) }
    }
}
