import EngineTwin
import SeededRandom
import SyncEngine
import SyncModel
import Testing

/// Windows at any revision within the horizon show what the twin had then, and a key names the same
/// incarnation for ever.
@Suite struct WindowTests {
    @Test(arguments: UInt64(7000)..<7024)
    func windowsEqualTwin(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        var random = SplitMix64(seed: seed)
        let player = HistoryPlayer(TestedEngine())
        var checker = WindowChecker()
        while player.transactionCount < 120 {
            let step = generator.next(player.twin)
            try player.play(step)
            if case .reload = step { checker = WindowChecker() }
            let (engine, twin) = (player.tested, player.twin)
            for _ in 0..<2 {
                let span = Int(engine.revision - engine.horizon)
                let revision = engine.horizon + Revision(random.below(span + 1))
                let base = engine.horizon + Revision(random.below(span + 1))
                try checker.check(engine, twin, at: revision, since: min(base, revision), &random)
            }
            try checker.check(engine, twin, at: engine.revision, since: engine.horizon, &random)
            #expect(engine.window(at: engine.revision + 1) == nil)
            if engine.horizon > 0 { #expect(engine.window(at: engine.horizon - 1) == nil) }
        }
    }

    @Test(arguments: UInt64(7100)..<7120)
    func sizesEqualSnapshot(seed: UInt64) throws {
        var generator = HistoryGenerator(seed: seed)
        let player = HistoryPlayer(TestedEngine())
        while player.transactionCount < 60 {
            try player.play(generator.next(player.twin))
            var sections: [SectionContent] = []
            var sizes: [[ListSize?]] = []
            player.tested.forEachSection { content, section in
                sections.append(content)
                var read: [ListSize?] = []
                section.forEachPiece { read += $0 }
                #expect(section.count == read.count, "seed \(seed)")
                sizes.append(read)
            }
            let states = player.twin.snapshot().sections
            #expect(sections == states.map(\.section.content), "seed \(seed)")
            #expect(sizes == states.map { $0.items.map(\.content.size) }, "seed \(seed)")
        }
    }

    // MARK: By hand

    private func key(_ room: TestRoom, at revision: Revision? = nil, _ item: Int) throws -> ThingKey
    {
        let window = try #require(room.engine.window(at: revision ?? room.revision))
        return try #require(window.itemKey(at: ItemPath(section: 0, item: item)))
    }

    @Test func keyStaysThroughMovesAndEditsAndEndsWithItsLife() throws {
        let room = try TestRoom("main[a b c]")
        let first = try key(room, 0)
        try room.submit("ann", .move("a", .end(of: "main")))
        let moved = room.revision
        #expect(try key(room, 2) == first)
        try room.submit("ann", .set(field("f", .number(1)), of: "a"))
        let edited = room.revision
        #expect(try key(room, 2) == first)
        #expect(try key(room, at: moved - 1, 0) == first)
        try room.submit("ann", .delete("a"), .insert("a", .end(of: "main")))
        let second = try key(room, 2)
        #expect(second != first)
        #expect(try key(room, at: edited, 2) == first)
        let window = try #require(room.engine.window(at: room.revision))
        #expect(window.item(first) == nil)
        #expect(window.item(second)?.content.fields.isEmpty == true)
        let former = try #require(room.engine.window(at: edited))
        #expect(former.item(second) == nil)
        #expect(former.item(first)?.content.fields.count == 1)
        #expect(former.hasChanged(first, since: moved))
        #expect(!former.hasChanged(first, since: edited))
    }

    @Test func keyOfForgottenItemNamesNoOther() throws {
        let room = try TestRoom("main[a b]")
        let gone = try key(room, 0)
        try room.submit("ann", .delete("a"))
        room.engine.advanceHorizon(to: room.revision)
        try room.submit("ann", .insert("c", .at(0, in: "main")))
        #expect(try key(room, 0) != gone)
        let window = try #require(room.engine.window(at: room.revision))
        #expect(window.item(gone) == nil)
        #expect(window.path(ofItem: gone) == nil)
        #expect(window.hasChanged(gone, since: room.engine.horizon))
    }

    @Test func sectionIsMovedDeletedAndBroughtBack() throws {
        let room = try TestRoom("main[a] done[b c]")
        let base = room.revision
        let before = try #require(room.engine.window(at: base))
        let done = try #require(before.sectionKey(at: 1))
        let c = try #require(before.itemKey(at: ItemPath(section: 1, item: 1)))
        try room.submit("ann", .moveSection("done", .at(0)))
        let moved = room.revision
        try room.submit("ann", .deleteSection("done"))
        let deleted = room.revision
        // Ben has not seen the deletion: his move brings the section and the item back.
        try room.submit("ben", at: base, [.move("c", .at(0, in: "done"))])
        let window = { (revision: Revision) in
            try #require(room.engine.window(at: revision))
        }
        #expect(try window(base).sectionIndex(of: done) == 1)
        #expect(try window(moved).sectionIndex(of: done) == 0)
        #expect(try window(moved).path(ofItem: c) == ItemPath(section: 0, item: 1))
        #expect(try window(deleted).sectionIndex(of: done) == nil)
        #expect(try window(deleted).path(ofItem: c) == nil)
        #expect(try window(room.revision).sectionIndex(of: done) == 0)
        #expect(try window(room.revision).path(ofItem: c) == ItemPath(section: 0, item: 0))
        #expect(try window(room.revision).section(c) == nil)
        #expect(try window(room.revision).item(done) == nil)
    }
}
