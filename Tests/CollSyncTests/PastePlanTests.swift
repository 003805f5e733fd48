import CollSync
import ModelSupport
import SyncModel
import Testing

@Suite struct PastePlanTests {
    private let a = id("a")
    private let b = id("b")
    private let c = id("c")
    private let place = Placement(section: id("main"), position: .index(3))

    private func plan(_ ids: [Identifier], moving living: Set<Identifier>) -> PastePlan {
        var last = 0
        return PastePlan(ids.map { Item(id: $0) }, moving: living) {
            last += 1
            return id("new \(last)")
        }
    }

    private func lost(_ operations: Int...) -> Commit {
        Commit(
            revision: 7,
            superseded: operations.map { Superseded(operation: $0, reason: .deleted) })
    }

    private func new(_ number: Int) -> Identifier { id("new \(number)") }

    @Test func eachGoesBehindTheOneBefore() {
        let plan = plan([a, b, c], moving: [a, c])
        #expect(
            plan.operations(to: place) == [
                .move(a, to: place),
                .insert(Item(id: new(1)), to: Placement(position: .after(a))),
                .move(c, to: Placement(position: .after(new(1)))),
            ])
        #expect(plan.ids == [a, new(1), c])
    }

    @Test func isDoneWhenNothingIsLost() throws {
        var plan = plan([a, b], moving: [a])
        let isOpen = try plan.note(lost())
        #expect(!isOpen)
        #expect(plan.ids == [a, new(1)])
    }

    /// Items that others delete before the move are inserted again; items that they delete later
    /// stay away.
    @Test func whatIsLostIsInsertedAtTheNextAttempt() throws {
        var plan = plan([a, b, c], moving: [a, b, c])
        let isOpen = try plan.note(lost(1))
        #expect(isOpen)
        #expect(
            plan.operations(to: place) == [
                .move(a, to: place),
                .insert(Item(id: new(1)), to: Placement(position: .after(a))),
                .move(c, to: Placement(position: .after(new(1)))),
            ])
        let isStillOpen = try plan.note(lost(2))
        #expect(!isStillOpen)
        #expect(plan.ids == [a, new(1)])
    }

    /// Items that were missing from the start are inserted as well; other refusals are final.
    @Test func whatIsNotThereIsInsertedAtTheNextAttempt() {
        var plan = plan([a, b], moving: [a])
        func refused(_ code: Rejection.Code, _ operation: Int?) -> Bool {
            plan.note(Rejection(operation: operation, code: code, message: ""))
        }
        #expect(!refused(.unknownItem, nil) && !refused(.unknownItem, 2))
        #expect(!refused(.notAllowed, 0) && !refused(.unknownItem, 1) && !plan.note(nil))
        #expect(refused(.unknownItem, 0))
        #expect(!refused(.unknownItem, 0), "the place is missing, not the item")
        #expect(
            plan.operations(to: place) == [
                .insert(Item(id: new(2)), to: place),
                .insert(Item(id: new(1)), to: Placement(position: .after(new(2)))),
            ])
    }
    /// A server that reports a loss for each attempt does not keep the client busy for ever.
    @Test func aServerThatLosesEveryAttemptEndsThePaste() throws {
        var plan = plan([a], moving: [])
        for _ in 1..<PastePlan.maximumCommits {
            let isOpen = try plan.note(lost(0))
            #expect(isOpen)
        }
        #expect {
            try plan.note(lost(0))
        } throws: {
            ($0 as? CollectionError)?.code == "badMessage"
        }
    }
}
