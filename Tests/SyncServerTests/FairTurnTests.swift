import ModelSupport
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// Work that many clients request at once is spread over several turns and delays nobody else.
@Suite("What many ask for at once")
struct FairTurnTests {
    private func world(turnSteps: Int) throws -> World {
        try World {
            $0.turnSteps = turnSteps
            $0.threads = 1
            $0.connections.heartbeatMilliseconds = 1000
        }
    }

    private func turns(_ world: World) throws -> TurnFigures { try #require(world.server?.turns) }

    /// To check the timeouts of all takes several turns, in which some are sent what is newer.
    @Test("the timeouts of many are checked while they are sent something")
    func timeouts() throws {
        let world = try world(turnSteps: 64)
        let members = try (0..<150).map { try world.join("m\($0)", "busy") }
        world.simulation.conditions.turnMicroseconds = 500...2000
        let (editor, room) = members[0]
        for counter in 1...150 as ClosedRange<UInt64> {
            editor.submit(counter, in: room, base: 0, [.insert("i\(counter)")])
            world.run(forMilliseconds: 20)
        }
        #expect(world.run { editor.answer(150, in: room) != nil })
    }

    /// Where each piece of work takes a millisecond, which is many times its price, a turn still
    /// ends after ten of them.
    @Test("on a slow machine is done in turns that are not longer")
    func slowness() throws {
        let world = try world(turnSteps: ServerConfiguration().turnSteps)
        let clients = try (0..<100).map { try world.greet("c\($0)") }
        world.simulation.conditions.turnMicroseconds = 20_000...20_000
        world.simulation.conditions.clockReadMicroseconds = 1000
        let before = try turns(world)
        for (number, client) in clients.enumerated() {
            for request in 1...3 as ClosedRange<RequestID> {
                client.send(.listRooms(ListRooms(request: request + RequestID(number) * 10)))
            }
        }
        #expect(world.run { clients.allSatisfy { $0.roomLists.count == 3 } })
        world.simulation.conditions.clockReadMicroseconds = 0
        let after = try turns(world)
        #expect(after.turns - before.turns >= 20, "\(after.turns - before.turns) turns")
    }

    @Test("about a room that is being deleted is answered in several turns")
    func deletions() throws {
        let world = try world(turnSteps: 512)
        let (owner, room) = try world.join("owner", "doomed")
        owner.submit(1, in: room, [.insert("i")])
        #expect(world.run { owner.answer(1, in: room) != nil })
        let clients = try (0..<8).map { try world.greet("c\($0)") }
        // All clients send their requests before the store has deleted the room.
        world.simulation.conditions.jobMicroseconds = 200_000...200_000
        let name = try #require(RoomName("doomed"))
        let requests = 1...60 as ClosedRange<RequestID>
        for client in clients {
            for request in requests {
                client.send(.deleteRoom(RoomRequest(request: request, room: name)))
            }
        }
        #expect(world.run { clients.contains { !$0.done.isEmpty } })
        let before = try turns(world).fullTurns
        #expect(world.run { clients.allSatisfy { $0.done.count + $0.errors.count == 60 } })
        let done = clients.reduce(0) { $0 + $1.done.count }
        let taken = try turns(world).fullTurns - before
        #expect(done > 300, "\(done)")
        #expect(taken >= done / 32, "\(done) answers in \(taken) turns")
    }

    @Test("to list rooms is collected some rooms at a time")
    func lists() throws {
        let world = try world(turnSteps: 32)
        let client = try world.greet()
        for number in 0..<60 { _ = try world.join(client, "room \(number)") }
        world.run(forMilliseconds: 100)
        let before = try turns(world).fullTurns
        client.send(.listRooms(ListRooms(request: 900)))
        #expect(world.run { !client.roomLists.isEmpty })
        #expect(client.roomLists.reduce(0) { $0 + $1.rooms.count } == 60)
        let taken = try turns(world).fullTurns - before
        #expect(taken >= 3, "\(taken) turns")
    }

    @Test("by silence is done for some connections a turn")
    func silence() throws {
        let world = try world(turnSteps: 128)
        let silent = try (0..<60).map { try world.join("s\($0)", "crowded").client }
        for client in silent {
            client.send(.heartbeat(Heartbeat()))
            client.isAlive = false
        }
        #expect(world.run { silent.allSatisfy(\.isClosed) })
        let most = try turns(world).largestTurn
        #expect(most <= 128 + 32, "a turn took \(most) steps")
    }
}
