import ModelSupport
import SyncModel
import SyncServer
import SyncSim
import SyncStore
import SyncWire
import Testing

@Suite("Rooms that a server deletes or fails to open")
struct RoomDeletionTests {
    @Test("refuse the waiting requests over as many turns as needed", arguments: [true, false])
    func tasks(isDeleted: Bool) throws {
        let world = try World { $0.turnSteps = 128 }
        let clients = try (0..<20).map { try world.greet("c\($0)") }
        let name = try #require(RoomName("room"))
        world.simulation.conditions.jobMicroseconds = 2_000_000...2_000_000
        if !isDeleted { world.storage.openFault = .io("the disk is gone") }
        for client in clients {
            for request in 1...50 as ClosedRange<RequestID> {
                client.send(.readStats(RoomRequest(request: request, room: name)))
            }
        }
        world.run(forMilliseconds: 1000)
        if isDeleted { clients[0].send(.deleteRoom(RoomRequest(request: 90, room: name))) }
        #expect(clients.allSatisfy { $0.errors.isEmpty })
        #expect(world.run { clients.contains { $0.errors.count > 1 } })
        let server = try #require(world.server)
        let before = server.turns.turns
        #expect(world.run { clients.allSatisfy { $0.errors.count >= 50 } })
        #expect(server.turns.turns > before + 200)
    }

    @Test("notify all members, and only then free their name")
    func server() throws {
        let world = try World { $0.turnSteps = 128 }
        let clients = try (0..<60).map { try world.join("c\($0)") }
        for (client, room) in clients {
            client.submit(1, in: room, [.insert("i\(client.name)")])
        }
        #expect(world.run { clients.allSatisfy { $0.client.answer(1, in: $0.room) != nil } })
        let (anna, room) = clients[0]
        let name = try #require(RoomName("room"))
        anna.send(.deleteRoom(RoomRequest(request: 90, room: name)))
        #expect(
            world.run {
                anna.done.contains(90)
                    && clients.allSatisfy { $0.client.errors[.room(room)]?.code == .roomDeleted }
            })
        let (bert, _) = try world.join("bert")
        #expect(world.run { bert.joined.values.first?.revision == 0 })
    }
}
