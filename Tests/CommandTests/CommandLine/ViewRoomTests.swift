import ArgumentParser
import CollSync
import Glibc
import ModelSupport
import SyncJSON
import SyncModel
import Testing

@testable import collsync_cli

/// The options of `view`, and its output.
@Suite struct ViewRoomTests {
    private func view(_ arguments: [String]) throws -> ViewRoom {
        try #require(try CollSyncCLI.parseAsRoot(["view"] + arguments) as? ViewRoom)
    }

    // MARK: Options

    @Test func everyOptionIsRead() throws {
        let command = try view([
            "room1", "--layout", "waterfall", "--spec", #"{"columnCount":3}"#, "--width", "320",
            "--height", "480.5", "--x", "-1", "--y", "-2.5", "--overscan", "100", "--json",
            "--server", "h:1",
        ])
        #expect(command.room == "room1")
        #expect(command.viewport.bounds() == ListRect(x: -1, y: -2.5, width: 320, height: 480.5))
        #expect(command.overscan == 100)
        var spec = LayoutSpec(kind: .waterfall)
        spec.options.columnCount = 3
        #expect(try LayoutSpec.given(command.layout, options: command.spec) == spec)
    }

    @Test func whatIsNotSaidIsUsual() throws {
        let command = try view(["r", "--layout", "flow"])
        #expect(command.viewport.bounds() == ListRect(width: 375, height: 667))
        #expect(command.overscan == nil)
        #expect(command.screen.title == "title")
        let scale = CharacterScale(character: ListSize(width: 5, height: 10))
        #expect(command.screen.scale(command.viewport) == scale)
        #expect(
            try LayoutSpec.given(command.layout, options: command.spec) == LayoutSpec(kind: .flow))
    }

    @Test func charactersHaveSizes() throws {
        let command = try view([
            "r", "--layout", "flow", "--character", "8x16.5", "--width", "320", "--title", "name",
        ])
        #expect(command.screen.title == "name")
        #expect(
            command.screen.scale(command.viewport)
                == CharacterScale(character: ListSize(width: 8, height: 16.5), width: 320))
        for wrong in ["", "8", "8x", "x", "8x0", "8x-1", "8xinf", "8x8x8", "nanx1", "1e9x1"] {
            #expect(CharacterSize(argument: wrong) == nil, "\(wrong)")
        }
    }

    @Test(arguments: [
        ["--layout", "flow"], ["r", "--layout", "grid"],
        ["r", "s", "--layout", "flow"], ["r", "--layout", "flow", "--width", "0"],
        ["r", "--layout", "flow", "--height", "nan"], ["r", "--layout", "flow", "--y", "inf"],
        ["r", "--layout", "flow", "--overscan", "-1"],
        ["r", "--layout", "flow", "--overscan", "inf"], ["r", "--layout", "flow", "--whole"],
    ])
    func wrongUseIsRefused(arguments: [String]) {
        do {
            _ = try CollSyncCLI.parseAsRoot(["view"] + arguments)
            Issue.record("\(arguments) is accepted")
        } catch {
            #expect(CollSyncCLI.exitCode(for: error).rawValue == Failure.usage)
        }
    }

    @Test func withoutALayoutItIsAFlow() throws {
        let command = try CollSyncCLI.parseAsRoot(["view", "r"]) as? ViewRoom
        #expect(command?.layout == .flow)
    }

    @Test(arguments: ["nonsense", #"{"kind":"mosaic"}"#, #"{"colour":1}"#])
    func wrongOptionsAreRefused(options: String) {
        #expect {
            try LayoutSpec.given(.flow, options: options)
        } throws: { error in
            (error as? Failure)?.exitCode == Failure.usage
        }
    }

    // MARK: Output

    private func element(_ identity: LayoutElement.Identity, y: Double) -> LayoutElement {
        LayoutElement(identity, frame: ListRect(y: y, width: 50, height: 50))
    }

    @Test func changesBecomeLines() throws {
        let milk = Item(id: id("milk"))
        let sized = try ItemContent(size: ListSize(width: 1, height: 2))
        let main = ListSection(id: id("main"))
        let cell = LayoutElement.Identity.cell(ItemPath(section: 0, item: 1))
        let header = LayoutElement.Identity.supplementary(kind: "header", section: 0)
        let badge = LayoutElement.Identity.itemSupplementary(
            kind: "badge", ItemPath(section: 0, item: 1))
        func shown(
            _ identity: LayoutElement.Identity, y: Double, _ content: ViewContent
        ) -> ViewElement {
            ViewElement(key: 1, element: element(identity, y: y), content: content)
        }
        var change = ViewChange(
            revision: 7, bounds: ListRect(x: 1, y: 2, width: 3, height: 4),
            contentSize: ListSize(width: 9, height: 8), shift: ListPoint(y: -5))
        change.appeared = [
            ViewChange.Appeared(
                initial: element(cell, y: 0), to: shown(cell, y: 5, .item(milk)))
        ]
        change.changed = [
            ViewChange.Changed(
                from: shown(header, y: 0, .section(main)),
                to: shown(header, y: 5, .section(main))),
            ViewChange.Changed(
                from: shown(cell, y: 0, .item(Item(id: milk.id, content: sized))),
                to: shown(cell, y: 5, .item(milk))),
        ]
        change.disappeared = [
            ViewChange.Disappeared(
                from: shown(cell, y: 0, .item(milk)), final: element(cell, y: 5)),
            ViewChange.Disappeared(
                from: shown(badge, y: 0, .item(milk)), final: element(badge, y: 5)),
        ]
        func entry(
            _ identity: LayoutElement.Identity, id: Identifier? = "milk",
            _ content: ViewLine.Content? = nil
        ) -> ViewLine.Entry {
            ViewLine.Entry(
                from: element(identity, y: 0), to: element(identity, y: 5), id: id,
                content: content)
        }
        #expect(
            ViewLine(change, of: "v1")
                == ViewLine(
                    view: "v1", revision: 7, contentSize: ListSize(width: 9, height: 8),
                    offset: ListPoint(x: 1, y: 2),
                    appeared: [entry(cell, .item(milk))],
                    changed: [entry(header, id: "main"), entry(cell, .item(milk))],
                    disappeared: [entry(cell), entry(badge)]))
    }
}
