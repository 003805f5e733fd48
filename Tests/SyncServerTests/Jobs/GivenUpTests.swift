import ModelSupport
import SyncModel
import SyncRoom
import SyncSim
import SyncWire
import Testing

/// Requests of clients that have left cause no work.
@Suite struct GivenUpTests {
    @Test("a room is not opened for a client that has left", arguments: 1...6, [false, true])
    func opening(seed: UInt64, isRead: Bool) throws {
        let world = try World(seed: seed)
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, [.insert("a")])
        #expect(world.run { anna.answer(1, in: room) != nil })
        try world.crash()
        let openings = world.log.count(of: "a room is open")
        #expect(openings == 1)
        world.simulation.conditions.jobMicroseconds = 50_000...60_000
        let stranger = try world.greet("stranger")
        if isRead {
            stranger.send(
                .readSnapshot(ReadSnapshot(request: 1, room: try #require(RoomName("room")))))
        } else {
            _ = stranger.join("room")
        }
        world.run(forMilliseconds: 20)
        stranger.close()
        world.run(forMilliseconds: 1000)
        #expect(world.log.count(of: "a room is open") == openings)
        #expect(world.log.count(of: "a room is closed") == 0)
        // The next client opens the room.
        let (bert, again) = try world.join("bert")
        #expect(world.run { bert.items(again) == ["a"] })
    }
}
