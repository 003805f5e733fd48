import ModelSupport
import RoomSupport
import SyncRoom
import Testing

/// A connection that was put out of a room may join it again before it gets the notice. The notice
/// names the membership, so it does not end the new one.
@Suite struct RejoinTests {
    @Test("a connection that comes back is another membership")
    func memberships() throws {
        let room = Room(RoomState(), opening: .test, handle: 1, policy: RoomPolicy())
        let member = ConnectionID(value: 7)
        let first = try room.join(Admission(member: member, client: id("c"))).membership
        room.suspend()
        #expect(room.resume(RoomState(), opening: .test(2)) == [])
        #expect(room.memberships == [first])
        room.leave(member)
        let second = try room.join(Admission(member: member, client: id("c"))).membership
        #expect(second.connection == first.connection && second != first)
        #expect(room.memberships == [second])
        _ = room.beginDissolving()
        #expect(room.dissolve() == [second] && room.isDissolved)
    }
}
