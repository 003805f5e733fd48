import SyncModel
import SyncServer
import SyncWire
import Testing

@Suite struct PausedReadingTests {
    /// Heartbeats have no answer: only the end of their tasks resumes reading.
    @Test("reading is resumed when a connection's excess tasks are done")
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
