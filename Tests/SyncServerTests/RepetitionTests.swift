import ModelSupport
import SyncModel
import SyncRoom
import SyncServer
import SyncWire
import Testing

@Suite("Nothing is applied twice")
struct RepetitionTests {
    @Test("L3: a transaction sent again gets its first answer, from the same connection or another")
    func again() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, [.insert("a")])
        anna.submit(2, in: room, [.delete(id("nothing"))])
        #expect(world.run { anna.answer(2, in: room) != nil })
        #expect(anna.answer(2, in: room) == .reject(.unknownItem))
        anna.submit(1, in: room, [.insert("a")])
        anna.submit(2, in: room, [.delete(id("nothing"))])
        #expect(world.run { anna.replicas[room]?.answers.count == 4 })
        anna.close()
        let (later, _) = try world.join("anna")
        later.submit(1, in: room, [.insert("a")])
        later.submit(2, in: room, [.delete(id("nothing"))])
        #expect(world.run { later.replicas[room]?.answers.count == 2 })
        #expect(later.answer(1, in: room) == .ack(Commit(revision: 1)))
        #expect(later.answer(2, in: room) == .reject(.unknownItem))
        #expect(later.revision(room) == 1)
    }

    @Test("a transaction that is in flight to the disk is applied once")
    func pending() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        for _ in 0..<20 { anna.submit(1, in: room, base: 0, [.insert("a")]) }
        #expect(world.run { anna.revision(room) == 1 })
        world.run(forMilliseconds: 1000)
        #expect(
            anna.replicas[room]?.answers.allSatisfy { $0.outcome == .ack(Commit(revision: 1)) }
                == true)
        // Resent transactions do not count as unanswered forever.
        for counter in 2...2000 {
            anna.submit(UInt64(counter), in: room, base: 0, [.insert("i\(counter)")])
        }
        #expect(world.run { anna.revision(room) == 2000 })
    }

    @Test("L3: after a crash of the server too", arguments: 1...10)
    func crash(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.storage.snapshotRevisions = 7
            $0.storage.snapshotBytes = 1
        }
        let (anna, room) = try world.join("anna")
        for counter in 1...200 {
            anna.submit(UInt64(counter), in: room, base: 0, [.insert("i\(counter)")])
        }
        _ = world.run { anna.replicas[room]?.answers.count ?? 0 >= 60 }
        let answered = anna.replicas[room]?.answers ?? []
        try world.crash()
        let (later, again) = try world.join("anna")
        for counter in 1...200 {
            later.submit(UInt64(counter), in: again, base: 0, [.insert("i\(counter)")])
        }
        #expect(world.run { later.replicas[again]?.answers.count == 200 })
        #expect(world.run { later.revision(again) == 200 })
        #expect(later.items(again) == (1...200).map { "i\($0)" })
        for (counter, outcome) in answered { #expect(later.answer(counter, in: again) == outcome) }
    }

    @Test("a transaction older than the window is refused as forgotten")
    func forgotten() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        for counter in 2...1026 {
            anna.submit(UInt64(counter), in: room, base: 0, [.insert("i\(counter)")])
        }
        #expect(world.run { anna.revision(room) == 1025 })
        anna.submit(1, in: room, [.insert("late")])
        anna.submit(2, in: room, [.insert("i2")])
        anna.submit(3, in: room, [.insert("i3")])
        let count = 1025 + 3
        #expect(world.run { anna.replicas[room]?.answers.count == count })
        let outcomes = anna.replicas[room]?.answers.suffix(3).map(\.outcome)
        #expect(outcomes == [.reject(.forgotten), .reject(.forgotten), .ack(Commit(revision: 2))])
    }

    @Test("a client id belongs to its secret, before and after a restart")
    func secrets() throws {
        let world = try World()
        let (anna, room) = try world.join("anna", secret: [1, 2, 3])
        let early = try world.greet("anna")
        var request = early.join("room", secret: [9])
        #expect(world.run { early.errors[.request(request)]?.code == .badSecret })
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.revision(room) == 1 })
        try world.crash()
        let mallory = try world.greet("anna")
        request = mallory.join("room", secret: [])
        #expect(world.run { mallory.errors[.request(request)]?.code == .badSecret })
        #expect(!mallory.isClosed)
        _ = try world.join("anna", secret: [1, 2, 3])
    }

    @Test("the same client on another connection replaces the first")
    func replaced() throws {
        let world = try World()
        let (first, room) = try world.join("anna")
        let (second, _) = try world.join("anna")
        #expect(world.run { first.errors[.room(room)]?.code == .replaced })
        first.submit(1, in: room, [.insert("a")])
        #expect(world.run { first.errors[.transaction(1, in: room)]?.code == .unknownRoom })
        second.submit(1, in: room, [.insert("b")])
        #expect(world.run { second.items(room) == ["b"] })
        #expect(!first.isClosed)
    }

    @Test("an error in a transaction rejects only that transaction")
    func rejects() throws {
        let world = try World {
            $0.wire.transactionOperations = 3
            $0.room.maximumItems = 4
            $0.room.maximumSections = 2
        }
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, base: 99, [.insert("a")])
        anna.submit(2, in: room, (1...4).map { .insert("i\($0)") })
        anna.submit(3, in: room, (1...3).map { .insert("i\($0)") })
        anna.submit(4, in: room, (4...5).map { .insert("i\($0)") })
        anna.submit(
            5, in: room,
            (1...2).map { .insertSection(ListSection(id: id("s\($0)")), to: Placement()) })
        #expect(world.run { anna.replicas[room]?.answers.count == 5 })
        #expect(anna.replicas[room]?.answers.map(\.counter) == [1, 2, 3, 4, 5])
        #expect(anna.answer(1, in: room) == .reject(.badBase))
        #expect(anna.answer(2, in: room) == .reject(.limitExceeded))
        #expect(anna.answer(3, in: room) == .ack(Commit(revision: 1)))
        #expect(anna.answer(4, in: room) == .reject(.limitExceeded))
        #expect(anna.answer(5, in: room) == .reject(.limitExceeded))
        #expect(!anna.isClosed)
    }
}
