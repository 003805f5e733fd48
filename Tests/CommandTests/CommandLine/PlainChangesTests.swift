import CollSync
import Glibc
import ModelSupport
import SyncClient
import SyncModel
import SyncTerminal
import Testing

@testable import collsync_cli

/// The messages about changes, with the numbers and names of the list.
@Suite struct PlainChangesTests {
    private let folder: TemporaryFolder
    private let console: PlainConsole
    private let output: Int32

    init() throws {
        folder = try TemporaryFolder()
        output = open(folder.path("output"), O_CREAT | O_WRONLY, 0o600)
        console = PlainConsole(output: Output(descriptor: output)) { id("new") }
        let sections = [("a", ["1", "2"]), ("b", ["3"])].map { name, items in
            Snapshot.SectionState(
                section: ListSection(id: id(name)),
                items: items.map { Item(id: id($0)) })
        }
        try console.show([.snapshot(Snapshot(revision: 1, sections: sections))])
    }

    private func printed(_ stages: [Stage], sections: Int, counts: [SectionCount]) throws -> String
    {
        let before = try folder.text(at: folder.path("output"))
        try console.show([
            .batch(Batch(from: 1, to: 2, stages: stages, sections: sections, counts: counts))
        ])
        return String(try folder.text(at: folder.path("output")).dropFirst(before.count))
    }

    private func list() -> String {
        guard case .reply(.text(let text)) = console.read(.text(Array("list".utf8)), number: 1)
        else {
            return ""
        }
        return text.text
    }

    @Test func itemsHaveTheNumbersOfTheList() throws {
        var stage = Stage()
        stage.deletes = [ItemPath(section: 0, item: 0)]
        stage.inserts = [
            Stage.PlacedItem(
                path: ItemPath(section: 0, item: 0), item: Item(id: id("4")))
        ]
        stage.moves = [
            Stage.ItemMove(
                from: ItemPath(section: 0, item: 1), to: ItemPath(section: 1, item: 1))
        ]
        let counts = [SectionCount(section: 0, items: 1), SectionCount(section: 1, items: 2)]
        #expect(
            try printed([stage], sections: 2, counts: counts)
                == "Revision 2:\n  - 1. 1\n  + 1. 4\n  > 3. 2, was 2\n")
        #expect(list() == "[1] a\n  1. 4\n[2] b\n  2. 3\n  3. 2\n")
    }

    /// A section that must exist before an item moves into it has a stage of its own.
    @Test func sectionsHaveTheirs() throws {
        var first = Stage()
        first.insertSections = [
            Stage.PlacedSection(index: 0, section: ListSection(id: id("c")))
        ]
        var second = Stage()
        second.moves = [
            Stage.ItemMove(
                from: ItemPath(section: 2, item: 0), to: ItemPath(section: 0, item: 0))
        ]
        var third = Stage()
        third.deleteSections = [2]
        #expect(
            try printed(
                [first, second, third], sections: 2, counts: [SectionCount(section: 0, items: 1)])
                == "Revision 2:\n  + [1] c\n  - [2] b\n  > 1. 3, was 3\n")
        #expect(list() == "[1] c\n  1. 3\n[2] a\n  2. 1\n  3. 2\n")
    }
}
