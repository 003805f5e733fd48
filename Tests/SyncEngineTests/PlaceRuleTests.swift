import SyncModel
import Testing

/// The rules for places (S1, P1 to P7), as examples. Ann and Bob work at once; the base is in
/// `at:`.
@Suite struct PlaceRuleTests {
    // MARK: P1

    @Test("P1: after X puts directly behind")
    func afterPutsDirectlyBehind() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .insert("x", .after("a")))
        #expect(room.text == "main[a x b]")
    }

    @Test("P1: after X passes what others put there before")
    func afterPassesWhatOthersPutThereBefore() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .insert("x1", .after("a")), .insert("x2", .after("x1")))
        try room.submit("bob", at: 1, .insert("y", .after("a")))
        #expect(room.text == "main[a x1 x2 y b]")
    }

    @Test("P1: after X does not pass what the author has seen")
    func afterDoesNotPassWhatTheAuthorHasSeen() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .insert("x", .after("a")))
        try room.submit("bob", at: 2, .insert("y", .after("a")))
        #expect(room.text == "main[a y x b]")
    }

    @Test("P1: after X does not pass what was put elsewhere")
    func afterDoesNotPassWhatWasPutElsewhere() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .insert("x", .before("b")))
        try room.submit("ann", at: 1, .insert("z", .after("b")))
        try room.submit("bob", at: 1, .insert("y", .after("b")))
        #expect(room.text == "main[a x b z y]")
    }

    @Test("P1: after a deleted anchor stays at its old place")
    func afterADeletedAnchorStaysAtItsOldPlace() throws {
        let room = try TestRoom("main[a b c]")
        try room.submit("ann", at: 1, .delete("b"))
        try room.submit("bob", at: 1, .insert("x", .after("b")))
        #expect(room.text == "main[a x c]")
    }

    @Test("P1: after a moved anchor means where the author saw it")
    func afterAMovedAnchorMeansWhereTheAuthorSawIt() throws {
        let room = try TestRoom("main[a b c]")
        try room.submit("ann", at: 1, .move("a", .end(of: "main")))
        try room.submit("bob", at: 1, .insert("x", .after("a")))
        #expect(room.text == "main[x b c a]")
    }

    @Test("P1: after an anchor the author moved itself means its new place")
    func afterAnAnchorTheAuthorMovedItselfMeansItsNewPlace() throws {
        let room = try TestRoom("main[a b c]")
        try room.submit("ann", at: 1, .move("a", .end(of: "main")))
        try room.submit("ann", at: 1, .insert("x", .after("a")))
        #expect(room.text == "main[b c a x]")
    }

    @Test("P1: after an anchor never seen means where it is")
    func afterAnAnchorNeverSeenMeansWhereItIs() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .insert("x", .after("a")))
        try room.submit("bob", at: 1, .insert("y", .after("x")))
        #expect(room.text == "main[a x y b]")
    }

    // MARK: P2

    @Test("P2: before Y puts directly in front")
    func beforePutsDirectlyInFront() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .insert("x", .before("b")))
        try room.submit("ann", .insert("y", .before("a")))
        #expect(room.text == "main[y a x b]")
    }

    @Test("P2: before Y stands behind what others put there before")
    func beforeStandsBehindWhatOthersPutThereBefore() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .insert("x", .before("b")))
        try room.submit("bob", at: 1, .insert("y", .before("b")))
        #expect(room.text == "main[a x y b]")
    }

    @Test("P2: before Y never goes beyond its anchor")
    func beforeNeverGoesBeyondItsAnchor() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", at: 1, .insert("x1", .after("a")), .insert("x2", .after("a")))
        // Bob names x1. Ann has put x2 in front of it since.
        try room.submit("bob", at: 1, .insert("y", .before("x1")))
        #expect(room.text == "main[a x2 y x1]")
    }

    // MARK: P3

    @Test("P3: an index counts the section as it was at the base")
    func indexCountsTheSectionAsItWasAtTheBase() throws {
        let room = try TestRoom("main[a b c]")
        try room.submit("ann", at: 1, .insert("x", .at(0, in: "main")), .delete("a"))
        try room.submit("bob", at: 1, .insert("y", .at(2, in: "main")))
        #expect(room.text == "main[x b y c]")
    }

    @Test("P3: an index counts without the thing that moves")
    func indexCountsWithoutTheThingThatMoves() throws {
        let room = try TestRoom("main[a b c d]")
        try room.submit("ann", .move("a", .at(2, in: "main")))
        #expect(room.text == "main[b c a d]")
    }

    @Test("P3: an index counts what the transaction did before")
    func indexCountsWhatTheTransactionDidBefore() throws {
        let room = try TestRoom("main[a b c d]")
        try room.submit(
            "ann", .delete("a"), .insert("x", .at(0, in: "main")), .move("d", .at(1, in: "main")),
            .insert("y", .at(2, in: "main")))
        #expect(room.text == "main[x d y b c]")
    }

    @Test("P3: an index does not count what the transaction deleted, though others were first")
    func indexDoesNotCountWhatTheTransactionDeletedThoughOthersWereFirst() throws {
        let room = try TestRoom("main[a b c]")
        try room.submit("ann", at: 1, .delete("a"))
        let lost = try room.submit(
            "bob", at: 1, .move("a", .end(of: "main")), .insert("x", .at(1, in: "main")))
        #expect(lost == [.deleted])
        #expect(room.text == "main[b x c]")
    }

    @Test("P3: an index does not count other transactions in flight")
    func indexDoesNotCountOtherTransactionsInFlight() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .insert("x", .at(0, in: "main")))
        try room.submit("ann", at: 1, .insert("y", .at(1, in: "main")))
        #expect(room.text == "main[x a y b]")
    }

    @Test("P3: an index in a section that `deleteSection` emptied counts what came later")
    func indexInASectionThatDeleteSectionEmptiedCountsWhatCameLater() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", at: 1, .insert("x", .after("b")))
        let lost = try room.submit(
            "bob", at: 1, .deleteSection("main"), .insert("y", .at(0, in: "main")),
            .insert("z", .at(1, in: "main")))
        #expect(lost == [.notEmpty])
        #expect(room.text == "main[x y z]")
    }

    @Test("P3: section indices do not count a section deleted in vain")
    func sectionIndicesDoNotCountASectionDeletedInVain() throws {
        let room = try TestRoom("main[] s[] t[]")
        try room.submit("ann", at: 1, .insert("x", .end(of: "s")))
        let lost = try room.submit("bob", at: 1, .deleteSection("s"), .insertSection("u", .at(2)))
        #expect(lost == [.notEmpty])
        #expect(room.text == "main[] s[x] t[] u[]")
    }

    @Test("P3: section indices do not count a section moved and then deleted in vain")
    func sectionIndicesDoNotCountASectionMovedAndThenDeletedInVain() throws {
        let room = try TestRoom("main[] s[] t[]")
        try room.submit("ann", at: 1, .insert("x", .end(of: "s")))
        try room.submit(
            "bob", at: 1, .moveSection("s", .at(0)), .deleteSection("s"),
            .insertSection("u", .at(1)))
        #expect(room.text == "s[x] main[] u[] t[]")
    }

    @Test("P3: section indices count a section brought back once")
    func sectionIndicesCountASectionBroughtBackOnce() throws {
        let room = try TestRoom("main[] s[] t[]")
        try room.submit("ann", at: 1, .deleteSection("main"))
        try room.submit(
            "bob", at: 1, .insert("x", .end(of: "main")), .insertSection("u", .at(1)))
        #expect(room.text == "main[x] u[] s[] t[]")
    }

    // MARK: P4

    @Test("P4: no position means the end, when the server orders it")
    func nothingMeansTheEndWhenSequenced() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", at: 1, .insert("x", .end(of: "main")))
        try room.submit("bob", at: 1, .insert("y", .end(of: "main")))
        try room.submit("bob", at: 1, .insert("z", .at(1, in: "main")))
        try room.submit("bob", at: 1, .insert("w", .at(.max, in: "main")))
        #expect(room.text == "main[a x y z w]")
    }

    // MARK: S1, P5 to P7

    @Test("P6: an anchor in another section gives the end")
    func anAnchorInAnotherSectionGivesTheEnd() throws {
        let room = try TestRoom("main[a b] s[c d]")
        try room.submit("ann", .insert("x", .after("a", in: "s")))
        try room.submit("ann", .insert("y", .before("c", in: "main")))
        #expect(room.text == "main[a b y] s[c d x]")
    }

    @Test("P5: a thing placed beside itself stays")
    func aThingPlacedBesideItselfStays() throws {
        let room = try TestRoom("main[a b c]")
        try room.submit("ann", .move("b", .after("b")), .move("a", .before("a", in: "main")))
        #expect(room.text == "main[a b c]")
        try room.submit("ann", at: room.revision, .delete("b"))
        let lost = try room.submit("bob", at: 1, .move("b", .after("b")))
        #expect(lost == [.deleted])
    }

    @Test("P5: a deleted thing placed beside itself still counts")
    func aDeletedThingPlacedBesideItselfStillCounts() throws {
        let room = try TestRoom("main[a b c]")
        try room.submit("ann", at: 1, .delete("b"))
        let lost = try room.submit(
            "bob", at: 1, .move("b", .after("b")), .insert("x", .at(2, in: "main")))
        #expect(lost == [.deleted])
        #expect(room.text == "main[a x c]")
    }

    @Test("S1: a placement that says nothing is malformed, whatever it meets")
    func aPlacementThatSaysNothingIsMalformedWhateverItMeets() throws {
        let room = try TestRoom("main[a]")
        #expect(room.refusal("ann", .insert("x", .at(0))) == .malformed)
        #expect(room.refusal("ann", .insert("a", .at(0))) == .malformed)
        #expect(room.refusal("ann", .move("ghost", .at(0))) == .malformed)
        #expect(room.refusal("ann", .insert("x", .end)) == .malformed)
    }

    @Test("P7: an anchor that never was is refused")
    func anAnchorThatNeverWasIsRefused() throws {
        let room = try TestRoom("main[a]")
        #expect(room.refusal("ann", .insert("x", .after("ghost"))) == .unknownItem)
        #expect(room.refusal("ann", .insert("x", .end(of: "ghost"))) == .unknownSection)
        #expect(room.refusal("ann", .insertSection("s", .after("ghost"))) == .unknownSection)
        #expect(room.revision == 1)
    }

    @Test("S1: without a section, the anchor's section is meant")
    func withoutASectionTheAnchorsSectionIsMeant() throws {
        let room = try TestRoom("main[a] s[b]")
        try room.submit("ann", at: 1, .move("b", .after("a")))
        // Bob saw b in s.
        try room.submit("bob", at: 1, .insert("x", .after("b")))
        #expect(room.text == "main[a b] s[x]")
    }

    @Test("P1, P3: sections are placed like items")
    func sectionsArePlacedLikeItems() throws {
        let room = try TestRoom("main[] s[] t[]")
        try room.submit("ann", at: 1, .insertSection("x", .after("main")))
        try room.submit(
            "bob", at: 1, .insertSection("y", .after("main")), .moveSection("t", .at(0)))
        #expect(room.text == "t[] main[] x[] y[] s[]")
    }
}
