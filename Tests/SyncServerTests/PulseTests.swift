import SyncServer
import SyncSim
import Testing

/// The sign of life of a server with several loops.
@Suite struct PulseTests {
    @Test func itComesAsLongAsAllLoopsTurn() throws {
        let world = try World { $0.threads = 3 }
        let beats = Box(0)
        try #require(world.server).pulse(everyMilliseconds: 100) { beats.value += 1 }
        world.run(forMilliseconds: 10_000)
        #expect((95...100).contains(beats.value), "\(beats.value)")
        for loop in 0..<3 {
            let platform = try #require(world.platform)
            platform.stall(loop: loop, forMilliseconds: 10_000)
            let before = beats.value
            world.run(forMilliseconds: 9_000)
            // One may have been under way.
            #expect(beats.value <= before + 1, "loop \(loop)")
            world.run(forMilliseconds: 2_000)
            #expect(beats.value >= before + 8, "loop \(loop)")
        }
    }

    @Test func itEndsWithTheServer() throws {
        let world = try World { $0.threads = 3 }
        let beats = Box(0)
        try #require(world.server).pulse(everyMilliseconds: 100) { beats.value += 1 }
        world.run(forMilliseconds: 1000)
        world.drain()
        let before = beats.value
        world.run(forMilliseconds: 1000)
        #expect(before > 5 && beats.value == before)
    }
}
