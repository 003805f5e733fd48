import SyncEngine
import SyncModel
import Testing

/// The rules for bases past the horizon (B2, P3, P7, P8, S4, O8), as examples.
@Suite struct HorizonRuleTests {
    /// A room in which all that is dead now is forgotten.
    private func room(_ text: String, _ changes: ListOperation...) throws -> TestRoom {
        let room = try TestRoom(text)
        for change in changes { try room.submit("host", [change]) }
        // One revision more, so that a base at the last change is past the horizon too.
        try room.submit("host", .delete("a"))
        room.engine.advanceHorizon(to: room.revision)
        return room
    }

    @Test func theHorizonNeverGoesBackNorAboveTheRevision() throws {
        let room = try TestRoom("main[a]")
        room.engine.advanceHorizon(to: 9)
        #expect(room.engine.horizon == 1)
        room.engine.advanceHorizon(to: 0)
        #expect(room.engine.horizon == 1)
        #expect(room.engine.snapshot(at: 0) == nil)
        #expect(room.engine.batch(from: 0, to: 1) == nil)
    }

    @Test("P8: an anchor that moved means where it is now")
    func anAnchorThatMovedMeansWhereItIsNow() throws {
        let room = try room("main[a b c]", .move("b", .end(of: "main")))
        try room.submit("bob", at: 1, .insert("x", .after("b")))
        #expect(room.text == "main[c b x]")
    }

    @Test("P7: a forgotten anchor is replaced by the trail")
    func aForgottenAnchorIsReplacedByTheTrail() throws {
        let room = try room("main[a b c d]", .delete("b"))
        try room.submit("bob", at: 1, .insert("x", .after("b", trail: ["a", "c"])))
        #expect(room.text == "main[c x d]")
    }

    @Test("P7: the trail counts in the named section only")
    func theTrailCountsInTheNamedSectionOnly() throws {
        let room = try room("main[a b c] s[d e]", .delete("b"))
        try room.submit("bob", at: 1, .insert("x", .after("b", in: "s", trail: ["c", "d"])))
        try room.submit("bob", at: 1, .insert("y", .after("b", in: "s", trail: ["c"])))
        #expect(room.text == "main[c] s[d x e y]")
    }

    @Test("P8: an anchor now in another section is none")
    func anAnchorNowInAnotherSectionIsNone() throws {
        let room = try room("main[a b] s[d e]", .move("b", .end(of: "s")))
        try room.submit("bob", at: 1, .insert("x", .after("b", in: "main")))
        #expect(room.text == "main[x] s[d e b]")
    }

    @Test("P7: without anything known, it is the first section's end")
    func withoutAnythingKnownItIsTheFirstSectionsEnd() throws {
        let room = try room("main[a b c] s[]", .delete("b"))
        try room.submit("bob", at: 1, .insert("x", .after("b")))
        #expect(room.text == "main[c x] s[]")
    }

    @Test("P7: without any section, `main` is made")
    func withoutAnySectionMainIsMade() throws {
        let room = try room("main[a b]", .delete("b"))
        try room.submit("host", .deleteSection("main"))
        room.engine.advanceHorizon(to: room.revision)
        try room.submit("bob", at: 1, .insert("x", .after("b")))
        #expect(room.text == "main[x]")
    }

    @Test("P3: indices count what was there at the horizon, and the trail goes first")
    func indicesCountTheHorizonAndTheTrailGoesFirst() throws {
        let room = try room("main[a b c d]", .delete("b"))
        try room.submit("bob", at: 1, .insert("x", .at(1, in: "main")))
        #expect(room.text == "main[c x d]")
        try room.submit("bob", at: 1, .insert("y", .at(1, in: "main", trail: ["b", "d"])))
        #expect(room.text == "main[c x d y]")
    }

    @Test("P3: indices do not count a section's items deleted in vain")
    func indicesDoNotCountASectionsItemsDeletedInVain() throws {
        // Bob has not seen d and e, so they stay; yet he thinks that he deleted all of `main`.
        let room = try room(
            "main[a b c]", .insert("e", .at(0, in: "main")), .insert("d", .at(0, in: "main")))
        let lost = try room.submit(
            "bob", at: 1, .deleteSection("main"), .insert("x", .at(1, in: "main")))
        #expect(lost == [.notEmpty])
        #expect(room.text == "main[d e x]")
    }

    @Test("P3: indices do not count an item deleted in vain")
    func indicesDoNotCountAnItemDeletedInVain() throws {
        let room = try room("main[a b c]", .insert("d", .at(0, in: "main")))
        try room.submit("bob", at: 1, .delete("d"), .insert("x", .at(1, in: "main")))
        #expect(room.text == "main[d b x c]")
    }

    @Test func aSectionMadeAndDeletedAtOnceIsForgotten() throws {
        let room = try TestRoom("main[]")
        try room.submit(
            "ann", .insertSection("s", .end), .insert("a", .end(of: "s")), .deleteSection("s"))
        room.engine.advanceHorizon(to: room.revision)
        #expect(room.engine.deadNodeCount == 0)
        #expect(room.text == "main[]")
    }

    @Test func aSectionMovedAndDeletedAtOnceIsForgottenByARoomReadAgain() throws {
        let room = try TestRoom("main[] t[]")
        try room.submit("ann", .moveSection("main", .end))
        try room.submit("ann", .insertSection("s", .end))
        try room.submit("ann", .moveSection("s", .before("main")), .deleteSection("s"))
        try room.reload()
        room.engine.advanceHorizon(to: room.revision)
        room.engine.checkInvariants()
        #expect(room.engine.deadNodeCount == 0)
        #expect(room.text == "t[] main[]")
    }

    @Test("O8: an unknown id counts as deleted")
    func anUnknownIdCountsAsDeleted() throws {
        let room = try room("main[a b]", .delete("b"))
        let lost = try room.submit(
            "bob", at: 1, .delete("b"), .move("b", .end(of: "main")),
            .set(field("x", .null), of: "ghost"), .deleteSection("ghost"),
            .moveSection("ghost", .end))
        #expect(lost == [.deleted, .deleted, .deleted])
        #expect(room.refusal("ann", .delete("b")) == .unknownItem)
        #expect(room.refusal("ann", .deleteSection("ghost")) == .unknownSection)
    }

    @Test("S4: an unknown section is made again at the end")
    func anUnknownSectionIsMadeAgainAtTheEnd() throws {
        let room = try room("main[a] s[b] t[]", .deleteSection("s"))
        try room.submit("bob", at: 1, .insert("x", .at(0, in: "s")))
        #expect(room.text == "main[] t[] s[x]")
    }

    @Test("B2: what was made since is safe from those past the horizon")
    func whatWasMadeSinceIsSafeFromThosePastTheHorizon() throws {
        let room = try room("main[a]", .insert("b", .end(of: "main")))
        let lost = try room.submit(
            "bob", at: 1, .delete("b"), .set(field("x", .null), of: "b"),
            .move("b", .at(0, in: "main")))
        #expect(lost == [.deleted, .deleted])
        #expect(room.text == "main[b]")
    }

    @Test("B3: who has seen nothing inserts, and changes nothing of others")
    func whoHasSeenNothingChangesNothingOfOthers() throws {
        let room = try TestRoom("main[a b] s[c]")
        let commit = try room.submit(
            "ann", at: 0, hasSeenNothing: true,
            [
                .delete("a"), .set(field("x", .null), of: "a"), .move("b", .at(0, in: "main")),
                .deleteSection("s"), .insert("a", .end(of: "main")),
                .insert("d", .at(0, in: "main")), .insert("e", .end(of: "gone")),
                .delete("ghost"), .set(field("x", .null), of: "d"),
            ])
        #expect(
            commit.superseded == [
                Superseded(operation: 1, reason: .deleted),
                Superseded(operation: 2, reason: .deleted),
                Superseded(operation: 4, reason: .exists),
            ])
        #expect(room.text == "main[a b d] s[c] gone[e]")
        #expect(room.value("x", of: "d") == .null)
        #expect(room.item("a")?.content.fields == [])
        // What it has made it knows, also in its next transaction. Of the room it knows `main`.
        let next = try room.submit(
            "ann", at: 0, hasSeenNothing: true,
            [.move("d", .end(of: "gone")), .delete("e"), .deleteSection("main")])
        #expect(next.superseded == [Superseded(operation: 2, reason: .notEmpty)])
        #expect(room.text == "main[a b] s[c] gone[d]")
        // Somebody at revision 0 of this room names what comes later, as before.
        #expect(try room.submit("bob", at: 0, .set(field("x", .null), of: "a")) == [])
    }

    @Test("B3: who has seen nothing is refused nothing in a new room")
    func whoHasSeenNothingIsRefusedNothing() throws {
        let room = try TestRoom("main[]")
        for engine in [TestedEngine(), room.engine] {
            var transaction = ListTransaction(
                base: 0,
                operations: [
                    .set(field("x", .null), of: "ghost"), .insert("a", .at(0, in: "main")),
                    .insert("b", .after("ghost")), .insert("c", .at(1, in: "main")),
                ])
            transaction.hasSeenNothing = true
            let commit = try engine.submit(transaction, by: name("ann"))
            #expect(commit.superseded == [Superseded(operation: 0, reason: .deleted)])
            engine.checkInvariants()
            #expect(TestRoom.text(engine.snapshot()) == "main[a c b]")
        }
    }

    @Test("B2: dead nodes are forgotten")
    func deadNodesAreForgotten() throws {
        let room = try TestRoom("main[a b c]")
        try room.submit("ann", .delete("a"), .move("b", .end(of: "main")))
        #expect(room.engine.deadNodeCount == 2)
        room.engine.advanceHorizon(to: 1)
        #expect(room.engine.deadNodeCount == 2)
        room.engine.advanceHorizon(to: 2)
        #expect(room.engine.deadNodeCount == 0)
    }
}
