import SyncEngine
import SyncIO
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("A snapshot that serves several")
struct SharedSnapshotTests {
    private static let count = 12

    /// Operations that change all items of a large room, and move each.
    private func changes(_ round: Int) -> [Operation] {
        let letter = ["a", "b", "c", "d"][round % 4]
        let text = Value.text(String(repeating: letter, count: 40_000 + round * 1000))
        return (0..<SharedSnapshotTests.count).flatMap { number -> [Operation] in
            let item = id("i\(number)")
            return [
                .update(item, ItemPatch(set: [Field(name: id("text"), value: text)])),
                .move(item, to: Placement(section: id("main"), position: .index(0))),
            ]
        }
    }

    /// Anna in a large room at revision 1, and Carl, who is being sent it for a long time.
    private func scene(
        _ world: World
    ) throws -> (anna: RawClient, room: RoomHandle, carl: RawClient) {
        let (anna, room) = try world.join("anna")
        let inserts = (0..<SharedSnapshotTests.count).map { Operation.insert("i\($0)") }
        anna.submit(1, in: room, base: 0, inserts + changes(0))
        #expect(world.run { anna.revision(room) == 1 })
        let carl = try world.greet("carl")
        carl.stream?.isReadingPaused = true
        _ = carl.join("room")
        world.run(forMilliseconds: 500)
        return (anna, room, carl)
    }

    @Test("is not older than what one who comes back has written from")
    func basesGoOn() throws {
        let world = try World()
        defer { world.simulation.end() }
        let (anna, room, carl) = try scene(world)
        anna.submit(2, in: room, [.insert("a")])
        #expect(world.run { anna.revision(room) == 2 })
        anna.submit(3, in: room, [.insert("b")])
        #expect(world.run { anna.revision(room) == 3 })
        // One who never wrote is sent what was made for Carl.
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

    @Test("takes nobody back who holds more already")
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
}
