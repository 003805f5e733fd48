import ModelSupport
import RoomSupport
import SyncLayout
import SyncModel
import SyncRoom
import SyncWire
import Testing

@Suite("Rooms that are deleted or released")
struct DissolutionTests {
    private struct Weak {
        weak var object: AnyObject?
    }

    private static let pots = Pots(memory: 1 << 30)

    /// A room with two members. They view it, in a shared layout and in layouts of their own, drag
    /// its items and show presence.
    private func crowd(_ holders: [Holder]) throws -> (room: Room, parts: [Weak]) {
        let room = Room(
            RoomState(), opening: .test, handle: 1, policy: RoomPolicy(),
            accounts: RoomAccounts(in: Self.pots))
        let members = holders.indices.map { ConnectionID(value: UInt64($0)) }
        for (member, holder) in zip(members, holders) {
            _ = try room.join(
                Admission(
                    member: member, client: id("c\(member.value)"), presence: true, holder: holder))
        }
        let transaction = ListTransaction(base: 0, operations: (0..<5).map { .insert("i\($0)") })
        _ = room.receive(try PackedTransaction(transaction), counter: 1, from: members[0])
        room.appended(through: try #require(room.endTurn(wallClockMilliseconds: 0)).sequence)
        for member in members {
            let views: [(LayoutSpec, Double)] = [
                (LayoutSpec(kind: .flow), 300),
                (LayoutSpec(kind: .flow), 300 + Double(member.value)),
                (LayoutSpec(kind: .mosaic), 300),
            ]
            for (number, (spec, width)) in views.enumerated() {
                let bounds = ListRect(width: width, height: 500)
                try room.show(
                    ViewDemand(view: ViewNumber(number), spec: spec, bounds: bounds), to: member)
            }
        }
        serve(room, members, from: 0)
        for member in members {
            try room.drag(1, .begin(id("i\(member.value)"), view: 0, isShared: true), by: member)
            try room.drag(1, .update(ListPoint(x: 50, y: 50), number: 1, seen: 0), by: member)
        }
        serve(room, members, from: 1000)
        #expect(room.layoutCount == 3)
        var parts = [Weak(object: room)]
        for member in try members.map({ try #require(room.member($0)) }) {
            parts.append(Weak(object: member))
            let views = try #require(
                Mirror(reflecting: member).descendant("viewing", "views") as? [AnyObject])
            #expect(views.count == 3)
            for view in views {
                parts.append(Weak(object: view))
                let layout = Mirror(reflecting: view).descendant("layout")
                parts.append(Weak(object: try #require(layout as? AnyObject)))
            }
        }
        return (room, parts)
    }

    private func serve(_ room: Room, _ members: [ConnectionID], from start: UInt64) {
        for now in start..<start + 10 {
            room.compose(with: MessageEncoder(), at: now * 100) { _, _ in }
            for member in members { room.ready(member) }
        }
    }

    /// Views, layouts and drags do not keep their members alive.
    @Test("a deleted or released room leaves nothing behind", arguments: [true, false])
    func nothingIsLeft(isDeleted: Bool) throws {
        let holders = (0..<2).map { _ in Holder(in: Self.pots) }
        var room: Room?
        let parts: [Weak]
        (room, parts) = try crowd(holders)
        #expect(parts.allSatisfy { $0.object != nil })
        #expect(holders.allSatisfy { $0.views.used > 0 })
        if isDeleted {
            _ = room?.beginDissolving()
            #expect(room?.dissolve().count == 2)
            #expect(parts.dropFirst().allSatisfy { $0.object == nil })
            #expect(holders.allSatisfy { $0.isIdle(at: 10_000) && $0.views.used == 0 })
        }
        room?.accounts.close()
        room = nil
        #expect(parts.allSatisfy { $0.object == nil })
        #expect(holders.allSatisfy { $0.isIdle(at: 10_000) && $0.views.used == 0 })
    }

    /// Each member gets refusals for its unanswered transactions, in order, and then leaves.
    @Test("dissolve over as many turns as they need")
    func turns() throws {
        let budget = TurnBudget(stepsPerTurn: 128)
        let room = Room(
            RoomState(), opening: .test, handle: 1, policy: RoomPolicy(), budget: budget)
        let members = (0..<500).map { ConnectionID(value: $0) }
        for member in members {
            _ = try room.join(Admission(member: member, client: id("c\(member.value)")))
        }
        func submit(_ counter: UInt64) throws {
            for member in members {
                let insert = ListOperation.insert("i\(member.value)-\(counter)")
                _ = room.receive(
                    try PackedTransaction(ListTransaction(base: 0, operations: [insert])),
                    counter: counter, from: member)
            }
        }
        try submit(1)
        while room.hasQueued {
            TurnPhase.allCases.forEach { budget.begin($0) }
            room.applyQueued()
        }
        #expect(room.takeRecord(wallClockMilliseconds: 0) != nil)
        try submit(2)
        _ = room.beginDissolving()
        var answers: [ConnectionID: [UInt64]] = [:]
        var gone: [MembershipID] = []
        var turns = 0
        while !room.isDissolved, turns < 10_000 {
            TurnPhase.allCases.forEach { budget.begin($0) }
            let before = budget.spent
            gone += room.dissolve()
            // The last piece of work may exceed the budget.
            #expect(budget.spent - before <= budget.stepsPerTurn + 64)
            room.takeAnswers { some in
                for answer in some {
                    if let member = answer.member {
                        answers[member, default: []].append(answer.result.counter)
                    }
                }
            }
            turns += 1
        }
        #expect(turns > 10)
        #expect(Set(gone.map(\.connection)) == Set(members) && gone.count == members.count)
        #expect(members.allSatisfy { answers[$0] == [1, 2] })
        #expect(room.memberCount == 0 && !room.hasUnanswered)
    }
}
