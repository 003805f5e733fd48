import ModelSupport
import SyncEngine
import SyncModel
import SyncRoom
import Testing

/// The horizon passes no revision that a member may still make transactions from.
@Suite("The floors of members")
struct FloorTests {
    @Test("a resumed client may write from its revision until it acknowledges a later one")
    func resumedMember() throws {
        var policy = RoomPolicy()
        (policy.horizon, policy.maximumHorizon) = (1, 1000)
        let scene = RoomScene(turnSteps: 1 << 20, policy: policy)
        let room = scene.room
        try scene.commit([.insert("first")])
        let keeper = try scene.join()
        try commit(2...5, scene)
        let held = room.state.engine.snapshot()
        try commit(6...20, scene)
        #expect(room.state.engine.horizon == 1)
        let member = try scene.join(holding: held)
        room.leave(keeper)
        // The member was sent everything and has acknowledged nothing.
        try scene.run(until: [member])
        try commit(21...40, scene)
        try scene.run(until: [member])
        #expect(room.state.engine.horizon == 5)

        let origin = room.identity.origin(of: 12)
        room.acknowledge(12, of: origin, by: member)
        try commit(41...60, scene)
        #expect(room.state.engine.horizon == 12)

        room.leave(member)
        try commit(61...80, scene)
        #expect(room.state.engine.horizon == 79)
    }

    @Test("are passed if the room would keep too many revisions")
    func boundedRevisions() throws {
        var policy = RoomPolicy()
        (policy.horizon, policy.maximumHorizon) = (1, 1000)
        policy.maximumRevisions = 30
        let scene = RoomScene(turnSteps: 1 << 20, policy: policy)
        try scene.commit([.insert("first")])
        _ = try scene.join()
        try commit(2...30, scene)
        #expect(scene.room.state.engine.horizon <= 1)
        try commit(31...100, scene)
        let engine = scene.room.state.engine
        #expect(engine.revision == 100 && 68...71 ~= engine.horizon)
    }

    /// Inserts one item in each revision.
    private func commit(_ numbers: ClosedRange<Int>, _ scene: RoomScene) throws {
        for number in numbers { try scene.commit([.insert("i\(number)")]) }
    }
}
