import SyncModel
import Testing

/// The rules for concurrent operations (O1 to O5), and for losses and refusals (B1, L1, L2), as
/// examples.
@Suite struct WinnerRuleTests {
    // MARK: O3

    @Test("O3: of concurrent moves, the last wins")
    func ofConcurrentMovesTheLastWins() throws {
        let room = try TestRoom("main[a b c] s[]")
        try room.submit("ann", at: 1, .move("a", .end(of: "s")))
        try room.submit("bob", at: 1, .move("a", .after("b")))
        #expect(room.text == "main[b a c] s[]")
    }

    // MARK: O2

    @Test("O2, O3, O4: delete wins over move and update in either order")
    func deleteWinsOverMoveAndUpdateInEitherOrder() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .delete("a"))
        let lost = try room.submit(
            "bob", at: 1, .move("a", .end(of: "main")), .set(field("done", .bool(true)), of: "a"),
            .increment("a", "count", by: 1), .delete("a"))
        #expect(lost == [.deleted, .deleted, .deleted])

        try room.submit("ann", at: 1, .move("b", .at(0, in: "main")))
        try room.submit("bob", at: 1, .delete("b"))
        #expect(room.text == "main[]")
    }

    // MARK: O4

    @Test("O4: fields merge one by one")
    func fieldsMergeOneByOne() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", at: 1, .set(field("title", .text("Milk")), of: "a"))
        try room.submit("bob", at: 1, .set(field("note", .text("fresh")), of: "a"))
        try room.submit("ann", at: 1, .set(field("note", .text("sour")), of: "a"))
        #expect(room.value("title", of: "a") == .text("Milk"))
        #expect(room.value("note", of: "a") == .text("sour"))
    }

    @Test("O4: an update leaves what it does not name")
    func anUpdateLeavesWhatItDoesNotName() throws {
        let room = try TestRoom()
        let size = ListSize(width: 3, height: 4)
        let content = try ItemContent(
            kind: name("cell"), size: size, fields: [field("title", .text("Milk"))],
            flags: .all.subtracting(.selectable))
        let item = Item(id: name("a"), content: content)
        try room.submit("ann", [.insert(item, to: .end(of: "main"))])
        try room.submit("bob", [.update(name("a"), ItemPatch(kind: .clear))])
        let changed = try #require(room.item("a")).content
        #expect(changed.kind == nil)
        #expect(changed.size == size)
        #expect(changed.fields == content.fields)
        #expect(changed.flags == content.flags)
        try room.submit(
            "bob", [.update(name("a"), ItemPatch(unset: [name("title")], size: .clear))])
        #expect(room.item("a")?.content.fields == [])
        #expect(room.item("a")?.content.size == nil)
    }

    @Test("O4: increments commute and count from zero")
    func incrementsCommuteAndCountFromZero() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", at: 1, .increment("a", "count", by: 2))
        try room.submit("bob", at: 1, .increment("a", "count", by: 3))
        #expect(room.value("count", of: "a") == .number(5))
    }

    @Test("O4: an increment of what is no number is lost")
    func anIncrementOfWhatIsNoNumberIsLost() throws {
        let room = try TestRoom("main[a]")
        try room.submit(
            "ann", at: 1, .set(field("x", .null), of: "a"),
            .set(field("y", .number(1.7e308)), of: "a"))
        let lost = try room.submit(
            "bob", at: 1, .increment("a", "x", by: 1), .increment("a", "y", by: 1.7e308))
        #expect(lost == [.notNumber, .notNumber])
        #expect(room.value("x", of: "a") == .null)
    }

    // MARK: O1, incarnations

    @Test("O1: a deleted id may be inserted again")
    func aDeletedIdMayBeInsertedAgain() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .delete("a"))
        try room.submit("ann", .insert("a", .end(of: "main"), fields: [field("new", .bool(true))]))
        #expect(room.text == "main[b a]")
        #expect(room.value("new", of: "a") == .bool(true))
    }

    @Test("O2, O3, O4: who saw only the former one loses")
    func whoSawOnlyTheFormerOneLoses() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .delete("a"))
        try room.submit("ann", .insert("a", .end(of: "main")))
        let lost = try room.submit(
            "bob", at: 1, .set(field("x", .null), of: "a"), .move("a", .at(0, in: "main")),
            .increment("a", "n", by: 1), .delete("a"))
        #expect(lost == [.deleted, .deleted, .deleted])
        #expect(room.text == "main[b a]")
    }

    @Test("O1, O5: inserting what lives is lost")
    func insertingWhatLivesIsLost() throws {
        let room = try TestRoom("main[]")
        try room.submit("ann", at: 1, .insert("a", .end(of: "main")))
        let lost = try room.submit(
            "bob", at: 1, .insert("a", .end(of: "main")), .insertSection("main", .end))
        #expect(lost == [.exists, .exists])
    }

    // MARK: Flags

    @Test("B1: only what is accepted moves its author's last base")
    func onlyWhatIsAcceptedMovesItsAuthorsLastBase() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("bert", .insert("c", .end(of: "main")))
        #expect(room.refusal("anna", at: 2, .delete("never")) == .unknownItem)
        #expect(room.refusal("anna", at: 1, .delete("a")) == nil)
        #expect(room.refusal("anna", at: 0, .delete("b")) == .badBase)
    }

    @Test("O2, O3, O4: flags refuse the transaction")
    func flagsRefuseTheTransaction() throws {
        let room = try TestRoom("main[b]")
        try room.submit("ann", .insert("a", .end(of: "main"), flags: []))
        #expect(room.refusal("bob", .move("a", .at(0, in: "main"))) == .notAllowed)
        #expect(room.refusal("bob", .delete("a")) == .notAllowed)
        #expect(room.refusal("bob", .set(field("x", .null), of: "a")) == .notAllowed)
        #expect(room.refusal("bob", .increment("a", "x", by: 1)) == .notAllowed)
        #expect(room.refusal("bob", .deleteSection("main")) == .notAllowed)
        #expect(room.text == "main[b a]")
    }

    @Test("O4: an update that changes nothing is no change of flags alone")
    func anUpdateThatChangesNothingIsNoChangeOfFlagsAlone() throws {
        let room = try TestRoom("main[]")
        try room.submit("ann", .insert("a", .end(of: "main"), flags: []))
        #expect(throws: Rejection.self) {
            try room.submit("bob", [.update(name("a"), ItemPatch())])
        }
    }

    @Test("O4: flags alone may always change")
    func flagsAloneMayAlwaysChange() throws {
        let room = try TestRoom("main[]")
        try room.submit("ann", .insert("a", .end(of: "main"), flags: []))
        try room.submit("bob", .setFlags(.deletable, true, of: "a"), .delete("a"))
        #expect(room.text == "main[]")
    }

    @Test("O4: flags are checked in server order")
    func flagsAreCheckedInServerOrder() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .setFlags(.movable, false, of: "a"))
        #expect(room.refusal("bob", at: 1, .move("a", .end(of: "main"))) == .notAllowed)
    }

    @Test("O3: a section may accept no moves")
    func aSectionMayAcceptNoMoves() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", .insertSection("s", .end, flags: []))
        #expect(room.refusal("bob", .move("a", .end(of: "s"))) == .notAllowed)
        try room.submit("bob", .insert("x", .end(of: "s")))
        #expect(room.text == "main[a] s[x]")
    }

    // MARK: B1, L1, L2

    @Test("L1: a lost operation is reported with its index, and the rest stands")
    func lossesAreReportedByIndexAndTheRestIsApplied() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", at: 1, .delete("a"))
        let commit = try room.submit(
            "bob", at: 1,
            [.delete("a"), .set(field("x", .null), of: "a"), .insert("b", .after("a"))])
        #expect(commit.superseded == [Superseded(operation: 1, reason: .deleted)])
        #expect(room.text == "main[b]")
    }

    @Test("L1: a transaction that is lost whole takes a revision")
    func whatIsLostWholeTakesARevision() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", at: 1, .delete("a"))
        let commit = try room.submit("bob", at: 1, [.move("a", .end(of: "main"))])
        #expect(commit.revision == 3)
        #expect(room.revision == 3)
    }

    @Test("L2: a transaction is refused whole, with code and index")
    func refusedMeansWholeAndNamed() throws {
        let room = try TestRoom("main[a]")
        #expect(throws: Rejection.self) { try room.submit("ann", [.delete("ghost")]) }
        do {
            try room.submit("ann", [.delete("a"), .delete("ghost"), .delete("a")])
        } catch let refusal as Rejection {
            #expect(refusal.operation == 1)
            #expect(refusal.code == .unknownItem)
            #expect(!refusal.message.isEmpty)
        }
        #expect(room.text == "main[a]")
        #expect(room.revision == 1)
    }

    @Test("B1: bases never go down, nor above the revision")
    func basesNeverGoDownNorAboveTheRevision() throws {
        let room = try TestRoom("main[a]")
        #expect(room.refusal("ann", at: 2, .delete("a")) == .badBase)
        try room.submit("ann", at: 1, .insert("x", .after("a")))
        #expect(room.refusal("ann", at: 0, .delete("a")) == .badBase)
        // A refused transaction has no effect on later ones, and other authors are free.
        try room.submit("bob", at: 0, .insert("y", .end(of: "main")))
        #expect(room.text == "main[a x y]")
    }
}
