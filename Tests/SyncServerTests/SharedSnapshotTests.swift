import ModelSupport
import SeededRandom
import SyncIO
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("A shared snapshot")
struct SharedSnapshotTests {
    private static let count = 12

    /// Operations that change and move all items of a large room.
    private func changes(_ round: Int) -> [ListOperation] {
        // Random text, which deflating hardly shortens.
        var random = SplitMix64(seed: UInt64(round))
        let letters = (0..<40_000 + round * 1000).map { _ in
            UInt8.random(in: UInt8(ascii: "0")...UInt8(ascii: "z"), using: &random)
        }
        let text = Value.text(String(decoding: letters, as: UTF8.self))
        return (0..<SharedSnapshotTests.count).flatMap { number -> [ListOperation] in
            let item = id("i\(number)")
            return [
                .update(item, ItemPatch(set: [Field(name: id("text"), value: text)])),
                .move(item, to: Placement(section: id("main"), position: .index(0))),
            ]
        }
    }

    /// Anna in a large room at revision 1, and Carl, whose snapshot of it takes a long time.
    private func scene(
        _ world: World, smallItems: [String] = []
    ) throws -> (anna: RawClient, room: RoomHandle, carl: RawClient) {
        let (anna, room) = try world.join("anna")
        let items = (0..<SharedSnapshotTests.count).map { "i\($0)" } + smallItems
        anna.submit(1, in: room, base: 0, items.map { .insert($0) } + changes(0))
        #expect(world.run { anna.revision(room) == 1 })
        let carl = try world.greet("carl")
        carl.stream?.isReadingPaused = true
        _ = carl.join("room")
        world.run(forMilliseconds: 500)
        return (anna, room, carl)
    }

    @Test("is no older than the last base of a client that comes back")
    func basesGoOn() throws {
        let world = try World()
        defer { world.simulation.end() }
        let (anna, room, carl) = try scene(world)
        anna.submit(2, in: room, [.insert("a")])
        #expect(world.run { anna.revision(room) == 2 })
        anna.submit(3, in: room, [.insert("b")])
        #expect(world.run { anna.revision(room) == 3 })
        // A client that never wrote shares Carl's snapshot.
        let (dora, _) = try world.join("dora")
        #expect(world.run { dora.revision(room) == 3 })
        #expect(dora.replicas[room]?.revisions.first == 1)
        anna.close()
        let (again, _) = try world.join("anna")
        #expect(world.run { again.revision(room) != nil })
        again.submit(4, in: room, [.insert("c")])
        #expect(world.run { again.answer(4, in: room) == .ack(Commit(revision: 4)) })
        carl.stream?.isReadingPaused = false
        #expect(world.run { carl.revision(room) == 4 })
    }

    @Test("takes no member back to an older revision")
    func neverBack() throws {
        let world = try World()
        defer { world.simulation.end() }
        let (anna, room, carl) = try scene(world)
        let (bert, _) = try world.join("bert")
        #expect(world.run { bert.revision(room) == 1 })
        anna.submit(2, in: room, base: 0, [.insert("late")])
        #expect(world.run { bert.revision(room) == 2 })
        bert.stream?.isReadingPaused = true
        for counter in 3...5 {
            anna.submit(UInt64(counter), in: room, base: 1, changes(counter))
            #expect(world.run { anna.revision(room) == Revision(counter) })
        }
        bert.stream?.isReadingPaused = false
        #expect(world.run { bert.revision(room) == 5 })
        carl.stream?.isReadingPaused = false
        #expect(world.run { carl.revision(room) == 5 })
        let revisions = bert.replicas[room]?.revisions ?? []
        #expect(revisions == revisions.sorted())
        #expect(bert.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
        #expect(carl.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
    }

    @Test("serves a returning client whose batch is larger")
    func insteadOfBatch() throws {
        let world = try World()
        defer { world.simulation.end() }
        let small = (0..<40).map { "small\($0)" }
        let (anna, room, carl) = try scene(world, smallItems: small)
        let held = try #require(anna.replicas[room]?.snapshot)
        // These changes have more operations than the room has items, and more bytes.
        anna.submit(2, in: room, base: 1, changes(2) + small.map { .delete(id($0)) })
        #expect(world.run { anna.revision(room) == 2 })
        let (dora, _) = try world.join("dora", holding: held)
        #expect(world.run { dora.revision(room) == 2 })
        // A snapshot at the current revision serves again, but not for a client that already has
        // that revision.
        let emil = try world.greet("emil")
        emil.stream?.isReadingPaused = true
        _ = emil.join(
            "room", holding: held, origin: world.identities["room"]?.origin(of: held.revision))
        world.run(forMilliseconds: 500)
        let (bert, _) = try world.join("bert", holding: held)
        #expect(world.run { bert.revision(room) == 2 })
        for client in [dora, bert] {
            #expect(client.replicas[room]?.snapshotCount ?? 0 <= 1)
            #expect(client.replicas[room]?.snapshot == anna.replicas[room]?.snapshot)
        }
        for client in [carl, emil] {
            client.stream?.isReadingPaused = false
            #expect(world.run { client.revision(room) == 2 })
        }
    }
}
