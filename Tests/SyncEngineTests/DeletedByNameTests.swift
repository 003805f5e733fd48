import SyncEngine
import SyncModel
import Testing

/// A delete by name counts whatever comes first: no move brings back what was deleted by name,
/// before or after a `deleteSection` deleted it (O2, O3).
@Suite struct DeletedByNameTests {
    private struct Edit {
        let author: String
        let operation: ListOperation
    }

    /// All orders of some edits.
    private static func orders(_ edits: [Edit]) -> [[Edit]] {
        guard edits.count > 1 else { return [edits] }
        return edits.indices.flatMap { first in
            var rest = edits
            let edit = rest.remove(at: first)
            return orders(rest).map { [edit] + $0 }
        }
    }

    /// Plays edits of authors that have not seen each other's. The items x and y stand in `main`,
    /// and the author that deletes the section has not seen y.
    private func play(_ edits: [Edit], isReloaded: Bool) throws -> TestRoom {
        let room = try TestRoom("main[x] s[]")
        try room.submit("yan", at: 1, .insert("y", .after("x")))
        for edit in edits {
            try room.submit(edit.author, at: 1, edit.operation)
            if isReloaded { try room.reload() }
        }
        return room
    }

    /// Whichever edit comes first, x stays deleted. Only the sections differ, if a move comes last.
    @Test(
        "O2, O3: in every order, it stays deleted",
        arguments: [Placement.end(of: "main"), .end(of: "s"), .before("x")])
    func everyOrderLeavesItDeleted(to placement: Placement) throws {
        let edits = [
            Edit(author: "bob", operation: .deleteSection("main")),
            Edit(author: "ann", operation: .delete("x")),
            Edit(author: "cid", operation: .move("x", placement)),
            Edit(author: "dan", operation: .set(field("done", .bool(true)), of: "x")),
        ]
        for order in DeletedByNameTests.orders(edits) {
            for isReloaded in [false, true] {
                let room = try play(order, isReloaded: isReloaded)
                #expect(room.item("x") == nil, "\(order.map(\.author)) \(room.text)")
                #expect(room.text == "main[y] s[]", "\(order.map(\.author))")
            }
        }
    }

    /// The golden history: a move that comes last is lost.
    @Test("O3: a move behind both is lost")
    func aMoveBehindBothIsLost() throws {
        let room = try play([], isReloaded: false)
        #expect(try room.submit("bob", at: 1, .deleteSection("main")) == [.notEmpty])
        #expect(try room.submit("ann", at: 1, .delete("x")) == [])
        #expect(try room.submit("cid", at: 1, .move("x", .end(of: "main"))) == [.deleted])
        #expect(room.text == "main[y] s[]")
    }

    /// This holds even if the author knew that the item was deleted with its section.
    @Test("O2: a delete of what is known to be gone counts")
    func aDeleteOfWhatIsKnownToBeGoneCounts() throws {
        let room = try play([], isReloaded: false)
        try room.submit("bob", at: 1, .deleteSection("main"))
        try room.submit("ann", .delete("x"))
        #expect(try room.submit("cid", at: 1, .move("x", .end(of: "main"))) == [.deleted])
    }

    /// A `deleteSection` names no item, even if it finds the section deleted.
    @Test("O2: a second `deleteSection` is no delete by name")
    func aSecondDeleteSectionIsNoDeleteByName() throws {
        let room = try TestRoom("main[x] s[]")
        try room.submit("bob", at: 1, .deleteSection("main"))
        try room.submit("ann", at: 1, .deleteSection("main"))
        #expect(try room.submit("cid", at: 1, .move("x", .end(of: "main"))) == [])
        #expect(room.text == "main[x] s[]")
    }

    /// What is put into the section brings the section back, without the items that were deleted in
    /// it by name.
    @Test("S3: a revived section comes without what was deleted by name")
    func aRevivedSectionComesWithoutIt() throws {
        let room = try TestRoom("main[x y] s[]")
        try room.submit("bob", at: 1, .deleteSection("main"))
        try room.submit("ann", at: 1, .delete("x"))
        let lost = try room.submit(
            "cid", at: 1, .move("x", .end(of: "main")), .move("y", .after("x")))
        #expect(lost == [.deleted])
        #expect(room.text == "main[y] s[]")
    }

    /// An author that has seen only a former incarnation names that one.
    @Test("O2: a delete of a former incarnation is none")
    func aDeleteOfAFormerIncarnationIsNone() throws {
        let room = try TestRoom("main[x] s[]")
        try room.submit("host", .delete("x"))
        try room.submit("host", .insert("x", .end(of: "main")))
        let base = room.revision
        try room.submit("bob", at: base, .deleteSection("main"))
        try room.submit("ann", at: 1, .delete("x"))
        #expect(try room.submit("cid", at: base, .move("x", .end(of: "s"))) == [])
        #expect(room.text == "s[x]")
    }

    /// A new incarnation begins without the mark.
    @Test("O2: an insert begins without the mark")
    func anInsertBeginsAnew() throws {
        let room = try play([], isReloaded: false)
        try room.submit("bob", at: 1, .deleteSection("main"))
        try room.submit("ann", at: 1, .delete("x"))
        try room.submit("ann", .insert("x", .end(of: "s")))
        let base = room.revision
        try room.submit("bob", at: base, .deleteSection("s"))
        #expect(try room.submit("cid", at: base, .move("x", .end(of: "main"))) == [])
        #expect(room.text == "main[y x]")
    }

    /// A transaction that is refused deletes nothing by name.
    @Test("O2: a refused delete is none")
    func aRefusedDeleteIsNone() throws {
        let room = try play([], isReloaded: false)
        try room.submit("bob", at: 1, .deleteSection("main"))
        #expect(room.refusal("ann", at: 1, .delete("x"), .delete("ghost")) == .unknownItem)
        #expect(try room.submit("cid", at: 1, .move("x", .end(of: "s"))) == [])
        #expect(room.text == "main[y] s[x]")
    }

    /// The horizon forgets the mark with the node that died, as it forgets any deletion.
    @Test("O2: the horizon forgets it like any deletion")
    func theHorizonForgetsItAsBefore() throws {
        let room = try play([], isReloaded: false)
        let section = try room.submit("bob", at: 1, [.deleteSection("main")])
        try room.submit("ann", at: 1, .delete("x"))
        room.engine.advanceHorizon(to: section.revision - 1)
        #expect(room.refusal("eve", .set(field("done", .null), of: "x")) == nil)
        room.engine.advanceHorizon(to: section.revision)
        #expect(room.refusal("eve", .set(field("done", .null), of: "x")) == .unknownItem)
        #expect(room.text == "main[y] s[]")
    }
}
