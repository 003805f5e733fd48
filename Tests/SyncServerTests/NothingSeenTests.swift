import ModelSupport
import SyncModel
import SyncServer
import SyncWire
import Testing

/// What was made at revision 0 of a room that is gone is applied in the room that has its name now.
@Suite("What was made before anything was written")
struct NothingSeenTests {
    /// How a room that was never written goes.
    enum End: CaseIterable {
        case crash
        /// Its last member sleeps, so it is closed as unused.
        case sleep
    }

    private func submit(
        _ counter: UInt64, in room: RoomHandle, base: Revision = 0, of origin: Origin,
        _ operations: [ListOperation], by client: RawClient
    ) throws {
        client.send(
            .submit(
                try Submit(
                    room: room, counter: counter,
                    transaction: ListTransaction(base: base, operations: operations),
                    origin: origin)))
    }

    /// A world in which anna was in a new room, which is gone.
    ///
    /// - Returns: what anna holds, and its origin.
    private func worldAfter(
        _ end: End, seed: UInt64 = 1
    ) throws -> (world: World, held: Snapshot, origin: Origin) {
        let world = try World(seed: seed) { $0.storage.idleUnloadMilliseconds = 1000 }
        let (anna, room) = try world.join("anna")
        let held = try #require(anna.replicas[room]?.snapshot)
        let origin = try #require(world.identities["room"]).origin(of: 0)
        #expect(held.revision == 0)
        switch end {
        case .crash: try world.crash()
        case .sleep:
            anna.close()
            world.run(forMilliseconds: 3000)
        }
        return (world, held, origin)
    }

    private func title(_ text: String) -> ItemPatch {
        ItemPatch(set: [Field(name: id("title"), value: .text(text))])
    }

    @Test(
        "its inserts stand beside what others wrote",
        arguments: End.allCases, 0..<3 as Range<UInt64>)
    func inserts(end: End, seed: UInt64) throws {
        let (world, held, origin) = try worldAfter(end, seed: seed)
        let (bob, bobs) = try world.join("bob")
        #expect(world.identities["room"]?.id != origin.room)
        bob.submit(1, in: bobs, [.insert("a"), .insert("b")])
        #expect(world.run { bob.revision(bobs) == 1 })

        let anna = try world.greet("anna")
        let room = try world.join(anna, holding: held, origin: origin, counter: 3)
        let joined = try #require(anna.joined.values.first)
        #expect(!joined.changed && joined.resumed)
        anna.submit(1, in: room, base: 0, [.insert("mine"), .update(id("mine"), title("x"))])
        anna.submit(
            2, in: room, base: 0,
            [.update(id("a"), title("lost")), .delete(id("b")), .delete(id("c")), .insert("more")])
        // This one builds on what the other room had.
        anna.submit(3, in: room, base: 1, [.insert("foreign")])
        // A program that has not seen anything yet goes on in the same way.
        anna.submit(4, in: room, base: 0, [.delete(id("a")), .delete(id("more"))])
        #expect(world.run { anna.replicas[room]?.answers.count == 4 })
        let lost = Superseded(operation: 0, reason: .deleted)
        #expect(anna.answer(1, in: room) == .ack(Commit(revision: 2)))
        #expect(anna.answer(2, in: room) == .ack(Commit(revision: 3, superseded: [lost])))
        #expect(anna.answer(3, in: room) == .reject(.roomChanged))
        #expect(anna.answer(4, in: room) == .ack(Commit(revision: 4)))
        #expect(world.run { anna.revision(room) == 4 && bob.revision(bobs) == 4 })
        #expect(anna.items(room) == ["a", "b", "mine"])
        #expect(anna.items(room) == bob.items(bobs))

        // The log says what the engine was told.
        try world.crash()
        let again = try world.greet("anna")
        let later = try world.join(again, origin: origin, counter: 4)
        #expect(again.items(later) == bob.items(bobs))
    }

    @Test("what this room has already is answered again", arguments: [false, true])
    func repeated(isPipelined: Bool) throws {
        let (world, held, origin) = try worldAfter(.crash)
        let lost = Superseded(operation: 0, reason: .deleted)
        for round in 1...3 {
            // Each time the answers are lost, so anna believes she is in the first room.
            let anna = try world.greet("anna")
            let room = try world.join(anna, holding: held, origin: origin, counter: 2)
            #expect(anna.joined.values.first?.changed == false)
            for counter in [1, 2] as [UInt64] {
                let operations: [ListOperation] = [.delete(id("x")), .insert("i\(counter)")]
                if isPipelined {
                    try submit(counter, in: room, of: origin, operations, by: anna)
                } else {
                    anna.submit(counter, in: room, base: 0, operations)
                }
            }
            let blind = [ListOperation.update(id("y"), title("y"))]
            try submit(3, in: room, of: origin, blind, by: anna)
            #expect(world.run { anna.replicas[room]?.answers.count == 3 })
            #expect(anna.answer(1, in: room) == .ack(Commit(revision: 1)), "round \(round)")
            #expect(anna.answer(2, in: room) == .ack(Commit(revision: 2)), "round \(round)")
            #expect(
                anna.answer(3, in: room) == .ack(Commit(revision: 3, superseded: [lost])),
                "round \(round)")
            #expect(world.run { anna.revision(room) == 3 })
            #expect(anna.items(room) == ["i1", "i2"])
            anna.close()
            if round == 2 { try world.crash() }
        }
    }

    @Test("a program that starts anew, and knows the former origin alone, is told what was applied")
    func restartedProgram() throws {
        let (world, held, origin) = try worldAfter(.crash)
        let anna = try world.greet("anna")
        let room = try world.join(anna, holding: held, origin: origin, counter: 1)
        anna.submit(1, in: room, base: 0, [.insert("mine")])
        #expect(world.run { anna.revision(room) == 1 })
        anna.close()
        let again = try world.greet("anna")
        let later = try world.join(again, origin: origin, counter: 3)
        #expect(again.joined.values.first?.changed == true)
        again.submit(1, in: later, base: 0, [.insert("mine")])
        again.submit(2, in: later, base: 0, [.insert("second")])
        try submit(3, in: later, of: origin, [.insert("third")], by: again)
        #expect(world.run { again.replicas[later]?.answers.count == 3 })
        #expect(again.answer(1, in: later) == .ack(Commit(revision: 1)))
        #expect(again.answer(2, in: later) == .reject(.roomChanged))
        #expect(again.answer(3, in: later) == .reject(.roomChanged))
        #expect(again.items(later) == ["mine"])
    }

    @Test("revision 0 is enough: its origin and its number open nothing else")
    func nothingElse() throws {
        let (world, held, origin) = try worldAfter(.crash)
        let (bob, bobs) = try world.join("bob")
        for counter in 1...3 as ClosedRange<UInt64> {
            bob.submit(counter, in: bobs, [.insert("b\(counter)")])
            #expect(world.run { bob.revision(bobs) == counter })
        }
        bob.close()

        // Neither the secret nor the client's numbers are passed over.
        let thief = try world.greet("bob")
        let request = thief.join("room", from: 0, secret: [9], origin: origin, counter: 9)
        #expect(world.run { thief.errors[.request(request)] != nil })
        #expect(thief.errors[.request(request)]?.code == .badSecret)
        let same = try world.greet("bob")
        let again = try world.join(same, holding: held, origin: origin, counter: 3)
        same.submit(2, in: again, base: 0, [.insert("other")])
        same.submit(4, in: again, base: 0, [.insert("below")])
        #expect(world.run { same.replicas[again]?.answers.count == 2 })
        #expect(same.answer(2, in: again) == .ack(Commit(revision: 2)))
        #expect(same.answer(4, in: again) == .reject(.badBase))

        // Who holds more is told of the change, and nothing that it has sent is applied.
        let carl = try world.greet("carl")
        let room = try world.join(carl, from: 1, origin: origin, counter: 2)
        #expect(carl.joined.values.first?.changed == true)
        carl.submit(1, in: room, base: 0, [.insert("c1")])
        try submit(2, in: room, of: origin, [.insert("c2")], by: carl)
        try submit(3, in: room, of: origin, [.insert("c3")], by: carl)
        try submit(4, in: room, base: 1, of: origin, [.insert("c4")], by: carl)
        #expect(world.run { carl.replicas[room]?.answers.count == 4 })
        for counter in 1...4 as ClosedRange<UInt64> {
            #expect(carl.answer(counter, in: room) == .reject(.roomChanged))
        }
        #expect(world.run { carl.revision(room) == 3 })
        #expect(carl.items(room) == ["b1", "b2", "b3"])
    }
}
