import ModelSupport
import SyncIO
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncStore
import SyncWire
import Testing

@Suite("Leaving, and coming back")
struct DepartureTests {
    @Test("late bytes of a lost connection do not end the client's new one")
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

    /// The turns do not suffice to tell all at once. Some have left and come back by then.
    @Test("a removed client that joins again before the notice stays", arguments: 1...8)
    func lateWord(seed: UInt64) throws {
        let world = try World(seed: seed) {
            $0.turnSteps = 64
            $0.threads = Int(seed % 2) + 1
        }
        defer { world.simulation.end() }
        let members = try (0..<40).map { try world.join("m\($0)") }
        let (writer, room) = members[0]
        writer.submit(1, in: room, [.insert("a")])
        #expect(world.run { members.allSatisfy { $0.client.revision($0.room) == 1 } })
        // The store has lost the room when it is read again.
        try world.storage.deleteRoom(roomName("room"))
        world.storage.appendFault = .refuse(.diskFull)
        writer.submit(2, in: room, [.insert("b")])
        #expect(world.run { writer.answer(2, in: room) != nil })
        world.storage.appendFault = nil
        var requests: [RequestID] = []
        for (client, room) in members {
            client.send(.leave(Leave(request: 1000, room: room)))
            requests.append(client.join("room"))
        }
        #expect(
            world.run {
                zip(members, requests).allSatisfy { member, request in
                    member.client.joined[request] != nil
                        || member.client.errors[.request(request)] != nil
                }
            })
        world.run(forMilliseconds: 1000)
        var joined = 0
        for ((client, _), request) in zip(members, requests) {
            guard let handle = client.joined[request]?.handle else { continue }
            joined += 1
            client.submit(9, in: handle, base: 0, [.insert(client.name)])
            #expect(world.run { client.answer(9, in: handle) != nil })
            #expect(client.answer(9, in: handle) != .reject(.roomChanged))
        }
        #expect(joined > 0)
    }

    @Test("a client that has left is sent nothing, and one that rejoins and resends gets answers")
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
