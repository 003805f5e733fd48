import SyncEngine
import SyncModel
import Testing

/// The rules for sections (S2, S3, O5 to O7), as examples: who may delete them, and what brings
/// them back.
@Suite struct SectionRuleTests {
    @Test("O6: `deleteSection` takes what its author had seen")
    func deleteSectionTakesWhatItsAuthorHadSeen() throws {
        let room = try TestRoom("main[a b] s[]")
        let lost = try room.submit("ann", at: 1, .deleteSection("main"))
        #expect(lost.isEmpty)
        #expect(room.text == "s[]")
    }

    @Test("O6: what its author had not seen keeps the section")
    func whatItsAuthorHadNotSeenKeepsTheSection() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .insert("x", .after("a")))
        let lost = try room.submit("bob", at: 1, .deleteSection("main"))
        #expect(lost == [.notEmpty])
        #expect(room.text == "main[x]")
    }

    @Test("O6: what others moved in keeps the section")
    func whatOthersMovedInKeepsTheSection() throws {
        let room = try TestRoom("main[a] s[b]")
        try room.submit("ann", at: 1, .move("a", .end(of: "s")))
        let lost = try room.submit("bob", at: 1, .deleteSection("s"))
        #expect(lost == [.notEmpty])
        #expect(room.text == "main[] s[a]")
    }

    @Test("O6: what others moved within keeps nothing")
    func whatOthersMovedWithinKeepsNothing() throws {
        // Bob saw b in s, and it is there now, though at another place.
        let room = try TestRoom("main[] s[a b]")
        try room.submit("ann", at: 1, .move("b", .before("a")))
        let lost = try room.submit("bob", at: 1, .deleteSection("s"))
        #expect(lost.isEmpty)
        #expect(room.text == "main[]")
    }

    @Test("O6: what others moved out is safe")
    func whatOthersMovedOutIsSafe() throws {
        let room = try TestRoom("main[] s[a b]")
        try room.submit("ann", at: 1, .move("a", .end(of: "main")))
        let lost = try room.submit("bob", at: 1, .deleteSection("s"))
        #expect(lost.isEmpty)
        #expect(room.text == "main[a]")
    }

    @Test("S3: inserting brings a section back")
    func insertingBringsASectionBack() throws {
        let room = try TestRoom("s[a] main[b] t[]")
        try room.submit("host", .set(field("x", .null), of: "a"))
        try room.submit("ann", at: 2, .deleteSection("main"))
        try room.submit("bob", at: 2, .insert("x", .after("b")))
        #expect(room.text == "main[x] s[a] t[]")
    }

    @Test("S3: a section comes back with its content beside its old place")
    func aSectionComesBackWithItsContentBesideItsOldPlace() throws {
        let room = try TestRoom("main[]")
        let fields = [field("title", .text("Done"))]
        try room.submit(
            "host", .insertSection("s", .end, fields: fields), .insertSection("t", .end))
        try room.submit("host", .insert("a", .end(of: "s")))
        let base = room.revision
        try room.submit("ann", at: base, .deleteSection("s"))
        try room.submit("bob", at: base, .insert("x", .at(0, in: "s")))
        #expect(room.text == "main[] s[x] t[]")
        #expect(room.engine.snapshot().sections[1].section.content.fields == fields)
    }

    @Test("S3, O3: moving brings back a section and its item")
    func movingBringsBackASectionAndItsItem() throws {
        let room = try TestRoom("main[] s[a b c]")
        try room.submit("ann", at: 1, .deleteSection("s"))
        let lost = try room.submit("bob", at: 1, .move("a", .after("b")))
        #expect(lost.isEmpty)
        #expect(room.text == "main[] s[a]")
    }

    @Test("O3: moving brings back an item of a section that stayed")
    func movingBringsBackAnItemOfASectionThatStayed() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .insert("x", .after("b")))
        try room.submit("bob", at: 1, .deleteSection("main"))
        #expect(room.text == "main[x]")
        let lost = try room.submit("cid", at: 1, .move("a", .after("b")))
        #expect(lost.isEmpty)
        #expect(room.text == "main[x a]")
    }

    @Test("O3: moving does not bring back what was deleted by itself")
    func movingDoesNotBringBackWhatWasDeletedByItself() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .delete("a"))
        try room.submit("ann", at: 1, .deleteSection("main"))
        let lost = try room.submit("bob", at: 1, .move("a", .end(of: "main")))
        #expect(lost == [.deleted])
        #expect(room.text == "")
    }

    @Test("S3: whoever saw the section go is refused")
    func whoeverSawTheSectionGoIsRefused() throws {
        let room = try TestRoom("main[a] s[]")
        try room.submit("ann", at: 1, .deleteSection("main"))
        #expect(room.refusal("bob", at: 2, .insert("x", .end(of: "main"))) == .unknownSection)
        // Ann has seen her own deletion, whatever her base is.
        #expect(room.refusal("ann", at: 1, .insert("x", .end(of: "main"))) == .unknownSection)
        #expect(room.refusal("bob", at: 2, .insert("x", .after("a"))) == .unknownSection)
        let lost = try room.submit("bob", at: 2, .move("a", .end(of: "s")))
        #expect(lost == [.deleted])
    }

    @Test("S3: a revival is nobody's")
    func aRevivalIsNobodys() throws {
        // Bob brought `s` back, but has seen its new node only from a base at or past it.
        let room = try TestRoom("main[] s[] t[]")
        try room.submit("ann", at: 1, .deleteSection("s"))
        try room.submit("bob", at: 1, .insert("x", .end(of: "s")))
        try room.submit("bob", at: 1, .insertSection("u", .after("s")))
        #expect(room.text == "main[] s[x] u[] t[]")
    }

    @Test("O7: moves and updates of a deleted section are lost")
    func movesAndUpdatesOfADeletedSectionAreLost() throws {
        let room = try TestRoom("main[] s[]")
        try room.submit("ann", at: 1, .deleteSection("s"))
        let patch = SectionPatch(set: [field("x", .null)])
        let lost = try room.submit(
            "bob", at: 1, [.moveSection("s", .at(0)), .updateSection(name("s"), patch)])
        #expect(lost.superseded.map(\.reason) == [.deleted, .deleted])
        #expect(try room.submit("bob", at: 1, .deleteSection("s")).isEmpty)
    }

    @Test("S2: into a section inserted again means its end")
    func intoASectionInsertedAgainMeansItsEnd() throws {
        let room = try TestRoom("main[] s[a b]")
        try room.submit("ann", .deleteSection("s"))
        try room.submit("ann", .insertSection("s", .at(0)), .insert("c", .end(of: "s")))
        try room.submit("bob", at: 1, .insert("x", .after("a")))
        try room.submit("bob", at: 1, .insert("y", .at(0, in: "s")))
        #expect(room.text == "s[c x y] main[]")
    }

    @Test("O6, O7: who saw only the former section deletes and moves nothing")
    func whoSawOnlyTheFormerSectionDeletesNothing() throws {
        let room = try TestRoom("main[] s[a]")
        try room.submit("ann", .deleteSection("s"))
        try room.submit("ann", .insertSection("s", .end))
        #expect(try room.submit("bob", at: 1, .deleteSection("s")).isEmpty)
        #expect(try room.submit("bob", at: 1, .moveSection("s", .at(0))) == [.deleted])
        #expect(room.text == "main[] s[]")
    }

    @Test("O7: supplementaries are replaced by kind")
    func supplementariesAreReplacedByKind() throws {
        let room = try TestRoom("main[]")
        let header = Supplementary(kind: name("header"), fields: [field("a", .number(1))])
        let footer = Supplementary(kind: name("footer"))
        let taller = Supplementary(kind: name("header"), size: ListSize(width: 1, height: 2))
        let main = name("main")
        try room.submit(
            "ann", [.updateSection(main, SectionPatch(supplementaries: [header, footer]))])
        try room.submit(
            "bob", at: 1,
            [
                .updateSection(
                    main,
                    SectionPatch(
                        supplementaries: [taller], removedSupplementaries: [name("footer")]))
            ])
        #expect(room.engine.snapshot().sections[0].section.content.supplementaries == [taller])
    }
}
