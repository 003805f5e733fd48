import ModelSupport
import SyncIO
import SyncLayout
import SyncModel
import SyncRoom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// A room has one timer for all that it comes back for.
@Suite struct ViewTimerTests {
    @Test("a view is updated in time, though a member waits longer for memory")
    func earlier() throws {
        let world = try World {
            $0.turnSteps = 32_768
            $0.threads = 1
            $0.room.maximumChunkBytes = 1
        }
        world.simulation.conditions.networkDelayMicroseconds = 100...100
        world.simulation.conditions.jobMicroseconds = 100...100
        let (anna, room) = try world.join("anna")
        let text = Field(name: id("t"), value: .text(String(repeating: "text", count: 20_000)))
        for counter in 1...8 as ClosedRange<UInt64> {
            let name = "i\(counter)"
            let patch = ItemPatch(set: [text])
            anna.submit(counter, in: room, [.insert(name), .update(id(name), patch)])
            #expect(world.run { anna.revision(room) == counter })
        }
        // Dora has written, so that no snapshot serves her that is older than when she comes.
        let dora = try world.greet("dora", from: "10.0.0.1", features: [])
        let first = try world.join(dora)
        dora.submit(1, in: first, [.insert("d")])
        #expect(world.run { dora.revision(first) == 9 })
        dora.send(.leave(Leave(request: 90, room: first)))
        // Carl takes nothing of his, and it is all that those of his address may have.
        let carl = try world.greet("carl", from: "10.0.0.1", features: [])
        carl.stream?.isReadingPaused = true
        _ = carl.join("room")
        world.run(forMilliseconds: 500)
        anna.submit(9, in: room, [.insert("i9")])
        #expect(world.run { anna.revision(room) == 10 })
        let request = dora.join("room")
        #expect(world.run { dora.joined[request] != nil })

        let viewer = try world.greet("viewer")
        let join = viewer.join("room", viewOnly: true)
        #expect(world.run { viewer.joined[join] != nil })
        viewer.send(
            .view(
                ViewRequest(
                    room: room, view: 1, layout: ViewLayout(.flow),
                    bounds: ListRect(width: 300, height: 300))))
        #expect(world.run { viewer.viewUpdates.last?.revision == 10 })
        for round in 0..<12 as Range<UInt64> {
            world.run(forMilliseconds: 300 + 17 * round)
            for counter in [10 + 2 * round, 11 + 2 * round] {
                let number = Field(name: id("n"), value: .text("\(counter)"))
                anna.submit(counter, in: room, [.update(id("i1"), ItemPatch(set: [number]))])
                // The second one is seen when the pause behind the first one has ended.
                #expect(
                    world.run(limitMilliseconds: 45) {
                        viewer.viewUpdates.last?.revision == counter + 1
                    })
            }
        }
        #expect(dora.revision(room) == nil, "she waits for memory still")
    }
}
