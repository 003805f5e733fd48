import ModelSupport
import SyncModel
import SyncServer
import SyncWire
import Testing

/// Reads of the current state: a walk through some nodes a turn.
@Suite("Reads of a room's current state")
struct SnapshotReadTests {
    private func read(
        _ request: RequestID, by client: RawClient, in world: World
    ) throws -> Snapshot? {
        client.send(
            .readSnapshot(
                ReadSnapshot(request: request, room: try #require(RoomName("room")))))
        #expect(world.run(limitMilliseconds: 5000) { client.done.contains(request) })
        return client.snapshots[request]
    }

    @Test("a room without sections and items is read, too")
    func empty() throws {
        let world = try World()
        let (anna, room) = try world.join("anna")
        anna.submit(1, in: room, [.deleteSection(id("main"))])
        #expect(world.run { anna.revision(room) == 1 })
        let snapshot = try read(101, by: anna, in: world)
        #expect(snapshot?.sections.isEmpty == true)
    }
}
