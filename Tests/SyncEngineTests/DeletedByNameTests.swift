import SyncEngine
import SyncModel
import Testing

/// A delete by name counts whoever was first: what was deleted by name, before or after a
/// `deleteSection` took it, comes back by no move (O2, O3).
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

    /// Nobody has seen anything of the others: x and y stand in `main`, and who deletes the section
    /// has not seen y.
    private func play(_ edits: [Edit], isReloaded: Bool) throws -> TestRoom {
        let room = try TestRoom("main[x] s[]")
        try room.submit("yan", at: 1, .insert("y", .after("x")))
        for edit in edits {
            try room.submit(edit.author, at: 1, edit.operation)
            if isReloaded { try room.reload() }
        }
        return room
    }

    /// Whoever comes first, x stays deleted; only the sections differ, for a move that comes last.
    @Test(arguments: [Placement.end(of: "main"), .end(of: "s"), .before("x")])
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

    /// The golden history: who moves it last is told that it is deleted.
    @Test func aMoveBehindBothIsLost() throws {
        let room = try play([], isReloaded: false)
        #expect(try room.submit("bob", at: 1, .deleteSection("main")) == [.notEmpty])
        #expect(try room.submit("ann", at: 1, .delete("x")) == [])
        #expect(try room.submit("cid", at: 1, .move("x", .end(of: "main"))) == [.deleted])
        #expect(room.text == "main[y] s[]")
    }

    /// Also where its author knew that it had gone with its section: what it deletes is deleted.
    @Test func aDeleteOfWhatIsKnownToBeGoneCounts() throws {
        let room = try play([], isReloaded: false)
        try room.submit("bob", at: 1, .deleteSection("main"))
        try room.submit("ann", .delete("x"))
        #expect(try room.submit("cid", at: 1, .move("x", .end(of: "main"))) == [.deleted])
    }

    /// A `deleteSection` names no item, also where it finds the section deleted.
    @Test func aSecondDeleteSectionIsNoDeleteByName() throws {
        let room = try TestRoom("main[x] s[]")
        try room.submit("bob", at: 1, .deleteSection("main"))
        try room.submit("ann", at: 1, .deleteSection("main"))
        #expect(try room.submit("cid", at: 1, .move("x", .end(of: "main"))) == [])
        #expect(room.text == "main[x] s[]")
    }

    /// The section comes back by what is put there, without what was deleted in it by name.
    @Test func aRevivedSectionComesWithoutIt() throws {
        let room = try TestRoom("main[x y] s[]")
        try room.submit("bob", at: 1, .deleteSection("main"))
        try room.submit("ann", at: 1, .delete("x"))
        let lost = try room.submit(
            "cid", at: 1, .move("x", .end(of: "main")), .move("y", .after("x")))
        #expect(lost == [.deleted])
        #expect(room.text == "main[y] s[]")
    }

    /// Who has seen a former incarnation alone names that one.
    @Test func aDeleteOfAFormerIncarnationIsNone() throws {
        let room = try TestRoom("main[x] s[]")
        try room.submit("host", .delete("x"))
        try room.submit("host", .insert("x", .end(of: "main")))
        let base = room.revision
        try room.submit("bob", at: base, .deleteSection("main"))
        try room.submit("ann", at: 1, .delete("x"))
        #expect(try room.submit("cid", at: base, .move("x", .end(of: "s"))) == [])
        #expect(room.text == "s[x]")
    }

    /// A new incarnation begins without it.
    @Test func anInsertBeginsAnew() throws {
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
    @Test func aRefusedDeleteIsNone() throws {
        let room = try play([], isReloaded: false)
        try room.submit("bob", at: 1, .deleteSection("main"))
        #expect(room.refusal("ann", at: 1, .delete("x"), .delete("ghost")) == .unknownItem)
        #expect(try room.submit("cid", at: 1, .move("x", .end(of: "s"))) == [])
        #expect(room.text == "main[y] s[x]")
    }

    /// The horizon forgets it with the node that died, as it forgets any deletion.
    @Test func theHorizonForgetsItAsBefore() throws {
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
