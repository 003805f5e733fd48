import SyncEngine
import SyncModel
import Testing

/// The rules for guards (G1 to G9), as examples.
@Suite struct GuardRuleTests {
    // MARK: G1

    @Test("G1: a guard may be at the base, and not above it")
    func aGuardMayBeAtTheBaseAndNotAboveIt() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .delete("b"))
        #expect(room.refusal("bob", at: 2, .delete("a").ifUnchanged(since: 3)) == .badBase)
        #expect(room.refusal("bob", at: 1, .delete("a").ifUnchanged(since: 2)) == .badBase)
        #expect(room.refusal("bob", at: 1, .delete("a").ifUnchanged(since: 1)) == nil)
        #expect(room.text == "main[]")
    }

    @Test("G1: a guard covers the life, and what it names")
    func aGuardCoversTheLifeAndWhatItNames() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .move("a", .after("b")), .set(field("x", .number(1)), of: "a"))
        #expect(try room.changes(of: "a", since: 1) == [])
        #expect(try room.changes(of: "a", since: 1, place: true) == .place)
        #expect(try room.changes(of: "a", since: 1, content: true) == .content)
        #expect(try room.changes(of: "a", since: 1, fields: ["y", "x"]) == .field(at: 1))
        let all = try room.changes(of: "a", since: 1, place: true, content: true, fields: ["x"])
        #expect(all == [.place, .content, .field(at: 0)])
    }

    @Test("G1: a guard counts from its revision, whatever the base is")
    func aGuardCountsFromItsRevision() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .move("a", .after("b")))
        #expect(try room.changes(of: "a", since: 1, place: true) == .place)
        #expect(try room.changes(of: "a", since: 2, place: true) == [])
    }

    @Test("G1: the author's other transactions count, the transaction's own operations do not")
    func otherTransactionsCountAndOwnOperationsDoNot() throws {
        let room = try TestRoom("main[a b]")
        let own = try room.submit(
            "ann", at: 1, .move("a", .after("b")),
            .setFlags(.movable, false, of: "a").ifUnchanged(since: 1, place: true, content: true))
        #expect(own == [])
        let later = try room.submit("ann", at: 1, .delete("a").ifUnchanged(since: 1, place: true))
        #expect(later == [.changed])
    }

    // MARK: G2

    @Test("G2: what was deleted, inserted or inserted anew has another life")
    func whatWasDeletedOrInsertedHasAnotherLife() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .delete("a"), .delete("b"), .insert("c", .end(of: "main")))
        try room.submit("ann", .insert("b", .end(of: "main")))
        let commit = try room.submit(
            "bob", at: 1,
            [
                .delete("a").ifUnchanged(since: 1), .delete("b").ifUnchanged(since: 1),
                .insert("c", .end(of: "main")).ifUnchanged(since: 1),
            ])
        #expect(commit.superseded == (0..<3).map(lostLife))
        #expect(room.text == "main[c b]")
    }

    private func lostLife(_ operation: Int) -> Superseded {
        Superseded(operation: operation, reason: .changed, changed: .life)
    }

    @Test("G2: what lived at neither moment has not changed")
    func whatLivedAtNeitherMomentHasNotChanged() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", .insert("b", .end(of: "main")))
        try room.submit("ann", .delete("b"))
        let lost = try room.submit(
            "bob", at: 1, .insert("b", .end(of: "main")).ifUnchanged(since: 1))
        #expect(lost == [])
        #expect(room.text == "main[a b]")
        #expect(room.refusal("bob", .delete("ghost").ifUnchanged(since: 1)) == .unknownItem)
    }

    @Test("G2, G3: what was brought back has the same life at another place")
    func whatWasBroughtBackHasTheSameLifeAtAnotherPlace() throws {
        let room = try TestRoom("main[] s[a] t[]")
        try room.submit("ann", at: 1, .deleteSection("s"))
        try room.submit("bob", at: 1, .move("a", .end(of: "s")))
        #expect(room.text == "main[] s[a] t[]")
        #expect(try room.changes(of: "a", since: 1) == [])
        #expect(try room.changes(of: "a", since: 1, place: true, content: true) == .place)
        #expect(try room.sectionChanges(of: "s", since: 1) == [])
        #expect(try room.sectionChanges(of: "s", since: 1, place: true, content: true) == .place)
    }

    // MARK: G3

    @Test("G3: what was moved back is moved")
    func whatWasMovedBackIsMoved() throws {
        let room = try TestRoom("main[a b] s[] t[]")
        try room.submit("ann", .move("a", .end(of: "s")), .moveSection("s", .end))
        try room.submit("ann", .move("a", .before("b")), .moveSection("s", .before("t")))
        #expect(room.text == "main[a b] s[] t[]")
        #expect(try room.changes(of: "a", since: 1, place: true) == .place)
        #expect(try room.sectionChanges(of: "s", since: 1, place: true) == .place)
    }

    @Test("G3: what happens around a thing, or to its section, does not move it")
    func whatHappensAroundAThingDoesNotMoveIt() throws {
        let room = try TestRoom("main[a b c] s[]")
        try room.submit(
            "ann", .insert("x", .before("b")), .delete("a"), .move("c", .before("b")),
            .moveSection("main", .end), .move("b", .after("b")))
        #expect(room.text == "s[] main[x c b]")
        #expect(try room.changes(of: "b", since: 1, place: true) == [])
    }

    // MARK: G4

    @Test("G4, G5: what a later transaction set back has changed")
    func whatALaterTransactionSetBackHasChanged() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", .set(field("x", .number(1)), of: "a"))
        try room.submit("ann", .set(field("x", .number(2)), of: "a"))
        try room.submit("ann", .set(field("x", .number(1)), of: "a"))
        let changes = try room.changes(of: "a", since: 2, content: true, fields: ["x", "y"])
        #expect(changes == [.content, .field(at: 0)])
        #expect(try room.changes(of: "a", since: 4, content: true, fields: ["x"]) == [])
    }

    @Test("G4, G5: what a transaction left as it was has not changed")
    func whatATransactionLeftAsItWasHasNotChanged() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", .set(field("x", .number(1)), of: "a"))
        try room.submit("ann", .set(field("x", .number(1)), of: "a"))
        try room.submit(
            "ann", .set(field("x", .null), of: "a"), .set(field("x", .number(1)), of: "a"))
        #expect(try room.changes(of: "a", since: 2, content: true, fields: ["x"]) == [])
    }

    @Test("G4: kind, size, fields and flags are an item's content")
    func whatAnItemsContentIs() throws {
        let patches = [
            ItemPatch(kind: .set(name("cell"))),
            ItemPatch(size: .set(ListSize(width: 1, height: 2))),
            ItemPatch(set: [field("x", .null)]),
            ItemPatch(flags: FlagChanges(changed: .selectable)),
        ]
        for patch in patches {
            let room = try TestRoom("main[a]")
            try room.submit("ann", [.update(name("a"), patch)])
            #expect(try room.changes(of: "a", since: 1, content: true) == .content, "\(patch)")
        }
    }

    @Test("G4: fields, supplementaries and flags are a section's content, its items are not")
    func whatASectionsContentIs() throws {
        let patches = [
            SectionPatch(set: [field("x", .null)]),
            SectionPatch(supplementaries: [Supplementary(kind: name("header"))]),
            SectionPatch(flags: FlagChanges(changed: .acceptsMoves)),
        ]
        for patch in patches {
            let room = try TestRoom("main[a] s[b]")
            try room.submit("ann", .insert("c", .end(of: "main")), .delete("a"))
            try room.submit("ann", .set(field("x", .null), of: "c"))
            #expect(try room.sectionChanges(of: "main", since: 1, content: true) == [])
            try room.submit("ann", [.updateSection(name("main"), patch)])
            let changes = try room.sectionChanges(of: "main", since: 1, content: true)
            #expect(changes == .content, "\(patch)")
        }
    }

    // MARK: G5

    @Test("G5: a missing field is other than every value")
    func aMissingFieldIsOtherThanEveryValue() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", .set(field("x", .null), of: "a"))
        #expect(try room.changes(of: "a", since: 1, fields: ["x"]) == .field(at: 0))
        let base = room.revision
        try room.submit("ann", [.update(name("a"), ItemPatch(unset: [name("x")]))])
        #expect(try room.changes(of: "a", since: base, fields: ["y", "x"]) == .field(at: 1))
    }

    @Test("G5: other parts of the content change no field")
    func otherPartsOfTheContentChangeNoField() throws {
        let room = try TestRoom("main[a]")
        try room.submit(
            "ann", .set(field("x", .null), of: "a"), .setFlags(.selectable, false, of: "a"))
        #expect(try room.changes(of: "a", since: 1, fields: ["y"]) == [])
    }

    // MARK: G6

    @Test("G6: if the life has changed, nothing else is looked at")
    func ifTheLifeHasChangedNothingElseIsLookedAt() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", .delete("a"))
        try room.submit("ann", .insert("a", .end(of: "main"), fields: [field("x", .null)]))
        let changes = try room.changes(
            of: "a", since: 1, place: true, content: true, fields: ["x"])
        #expect(changes == .life)
    }

    @Test("G6: what lived at neither moment has no parts that could change")
    func whatLivedAtNeitherMomentHasNoParts() throws {
        let room = try TestRoom("main[]")
        let condition = Guard(since: 1, place: true, content: true, fields: [name("x")])
        let insert = ListOperation.insert("a", .end(of: "main"), fields: [field("x", .null)])
        #expect(try room.submit("bob", .guarded(insert, by: condition)) == [])
        #expect(room.text == "main[a]")
    }

    // MARK: G7

    @Test("G7: below the horizon a guard counts as changed, at the horizon it is judged")
    func belowTheHorizonAGuardCountsAsChanged() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .move("a", .after("b")))
        room.engine.advanceHorizon(to: 2)
        #expect(try room.changes(of: "b", since: 1, place: true, content: true) == .horizon)
        #expect(try room.changes(of: "a", since: 2, place: true) == [])
        let commit = try room.submit("bob", at: 1, [.delete("ghost").ifUnchanged(since: 1)])
        let lost = Superseded(operation: 0, reason: .changed, changed: .horizon)
        #expect(commit.superseded == [lost])
    }

    @Test("G2, G3, G4: a room that is read from its image judges as before")
    func aRoomReadFromItsImageJudgesAsBefore() throws {
        let room = try TestRoom("main[a b c] s[d]")
        try room.submit("ann", .move("a", .after("b")), .set(field("x", .number(1)), of: "b"))
        try room.submit("ann", .move("a", .before("b")), .set(field("x", .number(2)), of: "b"))
        try room.submit("ann", .set(field("x", .number(1)), of: "b"), .delete("c"))
        try room.submit("ann", .insert("c", .end(of: "main")))
        room.engine.advanceHorizon(to: 2)
        try room.reload()
        #expect(try room.changes(of: "a", since: 2, place: true, content: true) == .place)
        #expect(try room.changes(of: "b", since: 2, content: true) == .content)
        #expect(try room.changes(of: "b", since: 4, content: true) == [])
        #expect(try room.changes(of: "c", since: 2) == .life)
        #expect(try room.changes(of: "d", since: 2, place: true, content: true) == [])
    }

    // MARK: G8

    @Test("G8: a guard goes before other losses and refusals, and behind the placement's form")
    func aGuardGoesBeforeEverythingButTheForm() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .setFlags([.movable, .deletable], false, of: "a"), .delete("b"))
        try room.submit("ann", .insert("b", .end(of: "main")))
        let move = ListOperation.move("a", .after("ghost", in: "nowhere"))
        let lost = try room.submit(
            "bob", at: 1, move.ifUnchanged(since: 1, content: true),
            .delete("a").ifUnchanged(since: 1, content: true),
            .set(field("x", .null), of: "b").ifUnchanged(since: 1))
        #expect(lost == [.changed, .changed, .changed])
        let formless = ListOperation.move("a", Placement())
        #expect(
            room.refusal("bob", at: 1, formless.ifUnchanged(since: 1, content: true))
                == .malformed)
    }

    @Test("G8: a guard that has not changed leaves the operation as it is")
    func aGuardThatHasNotChangedLeavesTheOperationAsItIs() throws {
        let room = try TestRoom("main[a]")
        try room.submit("ann", .setFlags(.deletable, false, of: "a"))
        #expect(room.refusal("bob", at: 1, .delete("a").ifUnchanged(since: 1)) == .notAllowed)
        let insert = ListOperation.insert("a", .end(of: "main"))
        #expect(try room.submit("bob", at: 1, insert.ifUnchanged(since: 1)) == [.exists])
    }

    @Test("G8: the thing of a delete or a move that a guard lost counts where it is")
    func theThingOfALostDeleteOrMoveCounts() throws {
        for operation in [ListOperation.delete("a"), .move("a", .end(of: "main"))] {
            let room = try TestRoom("main[a b c]")
            try room.submit("ann", .set(field("x", .null), of: "a"))
            let lost = try room.submit(
                "bob", at: 1, operation.ifUnchanged(since: 1, content: true),
                .insert("x", .at(1, in: "main")))
            #expect(lost == [.changed])
            #expect(room.text == "main[a x b c]")
        }
    }

    @Test("G8: the section of a deleteSection that a guard lost counts, with its items")
    func theSectionOfALostDeleteSectionCounts() throws {
        let room = try TestRoom("main[] s[a b] t[] u[]")
        try room.submit("ann", [.updateSection(name("s"), SectionPatch(set: [field("x", .null)]))])
        let lost = try room.submit(
            "bob", at: 1, .deleteSection("s").ifUnchanged(since: 1, content: true),
            .insert("x", .at(1, in: "s")), .insertSection("v", .at(2)))
        #expect(lost == [.changed])
        #expect(room.text == "main[] s[a x b] v[] t[] u[]")
    }

    @Test("G8: an insert that a guard lost changes no count")
    func aLostInsertChangesNoCount() throws {
        let room = try TestRoom("main[a b c]")
        let lost = try room.submit(
            "bob", at: 1, .insert("a", .end(of: "main")).ifUnchanged(since: 0),
            .insert("x", .at(1, in: "main")))
        #expect(lost == [.changed])
        #expect(room.text == "main[a x b c]")
    }

    // MARK: G9

    @Test("G9: who asks for all gets none, if a guard has changed")
    func whoAsksForAllGetsNone() throws {
        let room = try TestRoom("main[a b c]")
        try room.submit("ann", .delete("c"), .set(field("x", .null), of: "a"))
        let operations: [ListOperation] = [
            .move("c", .after("b")), .insert("y", .after("b")),
            .delete("a").ifUnchanged(since: 1, content: true), .delete("b").ifUnchanged(since: 1),
        ]
        let refusal = #expect(throws: Rejection.self) {
            try room.submitAll("bob", at: 1, operations)
        }
        #expect(refusal?.code == .conflict)
        #expect(refusal?.operation == 2)
        #expect(room.text == "main[a b]")
        #expect(room.revision == 2)
        // Without `all`, the rest stands.
        #expect(try room.submit("bob", at: 1, operations).superseded.map(\.operation) == [0, 2])
        #expect(room.text == "main[a y]")
    }

    @Test("G9: other losses refuse nothing")
    func otherLossesRefuseNothing() throws {
        let room = try TestRoom("main[a b]")
        try room.submit("ann", .delete("a"))
        let commit = try room.submitAll(
            "bob", at: 1,
            [.move("a", .after("b")), .delete("b").ifUnchanged(since: 1, place: true)])
        #expect(commit.superseded == [Superseded(operation: 0, reason: .deleted)])
        #expect(room.text == "main[]")
    }
}

extension TestRoom {
    /// What a guard finds changed of an item that lives. The room only gets a revision more: the
    /// guard's operation is an update of nothing.
    fileprivate func changes(
        of id: String, since revision: Revision, place: Bool = false, content: Bool = false,
        fields: [String] = []
    ) throws -> GuardedChanges {
        let update = ListOperation.update(name(id), ItemPatch())
        return try changes(
            update.ifUnchanged(
                since: revision, place: place, content: content, fields: fields.map(name)))
    }

    /// The same of a section that lives.
    fileprivate func sectionChanges(
        of id: String, since revision: Revision, place: Bool = false, content: Bool = false
    ) throws -> GuardedChanges {
        let update = ListOperation.updateSection(name(id), SectionPatch())
        return try changes(update.ifUnchanged(since: revision, place: place, content: content))
    }

    private func changes(_ operation: ListOperation) throws -> GuardedChanges {
        guard let lost = try submit("eve", [operation]).superseded.first else { return [] }
        #expect(lost.reason == .changed)
        return lost.changed
    }

    /// Submits operations that are to be applied together or not at all.
    fileprivate func submitAll(
        _ author: String, at base: Revision, _ operations: [ListOperation]
    ) throws -> Commit {
        let transaction = ListTransaction(base: base, operations: operations, isAllOrNothing: true)
        defer { engine.checkInvariants() }
        return try engine.submit(transaction, by: name(author))
    }
}
