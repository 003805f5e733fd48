import EngineTwin
import SyncEngine
import SyncModel
import Testing

/// "Batches" of `Protocol/merge-rules.md`, as examples.
@Suite struct BatchRuleTests {
    /// The batch between two revisions, after the checks that every batch must pass.
    private func batch(_ room: TestRoom, from: Revision, to: Revision? = nil) throws -> Batch {
        let to = to ?? room.revision
        let batch = try #require(room.engine.batch(from: from, to: to))
        let before = try #require(room.engine.snapshot(at: from))
        let after = try #require(room.engine.snapshot(at: to))
        #expect(try LegalityChecker.apply(batch, to: before) == after)
        return batch
    }

    private func path(_ section: Int, _ item: Int) -> ItemPath {
        ItemPath(section: section, item: item)
    }

    @Test func whatChangedNothingHasNoStages() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", .move("a", .after("a")))
        #expect(try batch(room, from: 1) == Batch(from: 1, to: 2, sections: 1))
        #expect(try batch(room, from: 2) == Batch(from: 2, to: 2, sections: 1))
    }

    @Test func oneStageForItems() throws {
        let room = try TestRoom("main[a b c d]")
        try room.submit(
            "ann", .delete("b"), .insert("x", .after("c")), .move("a", .end(of: "main")))
        let batch = try batch(room, from: 1)
        var stage = Stage()
        stage.deletes = [path(0, 1)]
        stage.inserts = [.init(path: path(0, 1), item: Item(id: name("x")))]
        stage.moves = [.init(from: path(0, 0), to: path(0, 3))]
        #expect(batch.stages == [stage])
        #expect(batch.sections == 1)
        #expect(batch.counts == [SectionCount(section: 0, items: 4)])
    }

    @Test func insertedAndDeletedInBetweenIsNotInIt() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", .insert("x", .after("a")))
        try room.submit("ann", .delete("x"))
        #expect(try batch(room, from: 1).stages.isEmpty)
    }

    @Test func movedThereAndBackIsNotInIt() throws {
        let room = try TestRoom("main[a b c]")
        try room.submit("ann", .move("a", .end(of: "main")))
        try room.submit("ann", .move("a", .at(0, in: "main")))
        #expect(try batch(room, from: 1).stages.isEmpty)
        #expect(try batch(room, from: 1, to: 2).stages.count == 1)
    }

    @Test func deletedAndInsertedAgainIsAReload() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .delete("a"))
        try room.submit(
            "ann", .insert("a", .at(0, in: "main"), fields: [field("x", .number(1))]))
        let stages = try batch(room, from: 1).stages
        #expect(stages.count == 1)
        #expect(stages.first?.reloads.map(\.item.id) == [name("a")])
    }

    @Test func reloadsComeFirstWithOldIndices() throws {
        let room = try TestRoom("main[a b]")
        try room.submit(
            "ann", .insert("x", .at(0, in: "main")), .set(field("n", .number(1)), of: "b"),
            .move("b", .at(0, in: "main")))
        let stages = try batch(room, from: 1).stages
        #expect(stages.count == 2)
        #expect(stages.first?.reloads.map(\.path) == [path(0, 1)])
        #expect(stages.last?.moves == [.init(from: path(0, 1), to: path(0, 0))])
    }

    @Test func aNewSectionComesEmptyAndIsFilled() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", .insertSection("s", .at(0)), .insert("x", .end(of: "s")))
        try room.submit("ann", .move("a", .end(of: "s")))
        let batch = try batch(room, from: 1)
        #expect(batch.stages.count == 2)
        #expect(batch.stages.first?.insertSections.map(\.index) == [0])
        #expect(batch.stages.last?.moves == [.init(from: path(1, 0), to: path(0, 1))])
        #expect(
            batch.counts == [
                SectionCount(section: 0, items: 2), SectionCount(section: 1, items: 0),
            ])
    }

    @Test func whatSurvivesItsSectionIsMovedOutOfIt() throws {
        let room = try TestRoom("s[a b c] main[]")
        try room.submit("ann", .move("b", .end(of: "main")), .deleteSection("s"))
        let batch = try batch(room, from: 1)
        #expect(batch.stages.count == 2)
        #expect(batch.stages.first?.deletes.isEmpty == true)
        #expect(batch.stages.first?.moves.count == 1)
        #expect(batch.stages.last?.deleteSections.count == 1)
        #expect(batch.sections == 1)
        #expect(batch.counts == [SectionCount(section: 0, items: 1)])
    }

    @Test func sectionsToBeDeletedForceNoMove() throws {
        let room = try TestRoom("main[] s[] t[] u[]")
        try room.submit("ann", .deleteSection("s"), .moveSection("u", .after("main")))
        let batch = try batch(room, from: 1)
        var arranged = Stage()
        arranged.moveSections = [.init(from: 3, to: 2)]
        var deleted = Stage()
        deleted.deleteSections = [1]
        #expect(batch.stages == [arranged, deleted])
    }

    @Test func theFewestMove() throws {
        let room = try TestRoom("main[a b c d e]")
        try room.submit("ann", .move("a", .end(of: "main")), .move("b", .end(of: "main")))
        try room.submit("ann", .move("c", .at(0, in: "main")))
        #expect(room.text == "main[c d e a b]")
        #expect(try batch(room, from: 1).stages.first?.moves.count == 2)
    }

    @Test func sectionsOwnContentChangesInPlace() throws {
        let room = try TestRoom("main[a] s[]")
        let patch = SectionPatch(set: [field("title", .text("Main"))])
        try room.submit("ann", [.updateSection(name("main"), patch)])
        let batch = try batch(room, from: 1)
        #expect(batch.stages.first?.changedSections.map(\.index) == [0])
        #expect(batch.counts.isEmpty)
    }

    @Test func theRoomIsStillKnownAsItWas() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .delete("a"), .set(field("x", .null), of: "b"))
        try room.submit("ann", .deleteSection("main"))
        #expect(TestRoom.text(try #require(room.engine.snapshot(at: 0))) == "main[]")
        #expect(TestRoom.text(try #require(room.engine.snapshot(at: 1))) == "main[a b]")
        let old = try #require(room.engine.snapshot(at: 1))
        #expect(old.sections[0].items[1].content.fields.isEmpty)
        #expect(room.engine.snapshot(at: 4) == nil)
        #expect(room.engine.batch(from: 2, to: 1) == nil)
        #expect(room.engine.batch(from: 2, to: 4) == nil)
    }
}
