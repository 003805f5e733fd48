import SyncModel
import SyncServer
import SyncWire
import Testing

@Suite struct PutOffReadingTests {
    /// Heartbeats have no answer: nothing but the end of what they ask for has the reading go on.
    @Test("reading goes on when tasks of the connection are over that were too many")
    func tasks() throws {
        let world = try World {
            $0.threads = 2
            $0.turnSteps = 32_768
        }
        let anna = try world.greet("anna")
        var held: [Heartbeat.Entry] = []
        for number in 0..<8 {
            let room = try world.join(anna, "room\(number)")
            #expect(world.run { anna.revision(room) == 0 })
            held.append(
                .init(
                    room: room, revision: 0,
                    origin: world.identities["room\(number)"]?.origin(of: 0)))
        }
        world.run(forMilliseconds: 100)
        for _ in 0..<40 { anna.send(.heartbeat(Heartbeat(rooms: held))) }
        anna.send(.listRooms(ListRooms(request: 90)))
        #expect(world.run(limitMilliseconds: 500) { anna.roomLists.count == 1 })
    }
}
