import SyncEngine
import SyncIO
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("Leaving, and coming back")
struct DepartureTests {
    @Test("what a lost connection still brings does not put a client out of its new one")
    func lateJoin() throws {
        let world = try World()
        defer { world.simulation.end() }
        let old = try world.greet("anna")
        let (new, room) = try world.join("anna")
        let request = old.join("room")
        #expect(world.run { old.errors[.request(request)] != nil })
        #expect(old.errors[.request(request)]?.code == .replaced)
        new.submit(1, in: room, base: 0, [.insert("a")])
        #expect(world.run { new.revision(room) == 1 })
        #expect(new.errors.isEmpty)
    }

    @Test("who has left is told nothing, and who comes back and asks is")
    func answers() throws {
        let world = try World()
        defer { world.simulation.end() }
        world.simulation.conditions.jobMicroseconds = 50_000...50_000
        let (anna, room) = try world.join("anna")
        #expect(world.run { anna.revision(room) == 0 })
        anna.submit(1, in: room, base: 0, [.insert("a")])
        anna.submit(2, in: room, base: 0, [.insert("b")])
        anna.send(.leave(Leave(request: anna.makeRequest(), room: room)))
        _ = try world.join(anna)
        anna.submit(2, in: room, base: 0, [.insert("b")])
        #expect(world.run { anna.revision(room) == 2 })
        world.run(forMilliseconds: 1000)
        #expect(anna.replicas[room]?.answers.map(\.counter) == [2])
        #expect(anna.answer(2, in: room) == .ack(Commit(revision: 2)))
    }
}
