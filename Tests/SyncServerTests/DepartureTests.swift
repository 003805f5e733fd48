import SyncEngine
import SyncIO
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

@Suite("Leaving with something unanswered")
struct DepartureTests {
    /// Makes a client leave and come back with so many transactions on their way, and send more at once.
    ///
    /// - Returns: how many of those the room took before it had answered any.
    private func sentAhead(leaving: Bool) throws -> Int {
        let world = try World { $0.wire.unansweredTransactions = 4 }
        defer { world.simulation.end() }
        world.simulation.conditions.pieceBytes = 16_384...16_384
        world.simulation.conditions.jobMicroseconds = 50_000...50_000
        let (anna, room) = try world.join("anna")
        #expect(world.run { anna.revision(room) == 0 })
        for round in 0..<3 {
            for counter in 1...4 {
                let number = UInt64(round * 4 + counter)
                anna.submit(number, in: room, base: 0, [.insert("i\(number)")])
            }
            world.run(forMilliseconds: 5)
            guard leaving else { continue }
            anna.send(.leave(Leave(request: anna.makeRequest(), room: room)))
            _ = try world.join(anna)
        }
        #expect(world.run { anna.revision(room) == 12 || leaving && anna.revision(room) ?? 0 > 3 })
        world.run(forMilliseconds: 2000)
        let before = anna.revision(room) ?? 0
        for counter in 20...60 {
            anna.submit(UInt64(counter), in: room, base: 0, [.insert("i\(counter)")])
        }
        #expect(world.run { anna.revision(room) ?? 0 > before })
        return Int((anna.revision(room) ?? 0) - before)
    }

    @Test("does not let a client have more unanswered than it may")
    func limit() throws {
        #expect(try sentAhead(leaving: false) == 4)
        #expect(try sentAhead(leaving: true) == 4)
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
