import SeededRandom
import SyncServer
import SyncSim
import SyncWire
import Testing

/// Connections and rooms are spread over loops.
@Suite struct DistributionTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func newConnectionsGoToTheLoopWithTheFewest(seed: UInt64) throws {
        let world = try World(seed: seed) { $0.threads = 4 }
        var random = SplitMix64(seed: seed)
        var clients: [RawClient] = []
        for _ in 0..<40 {
            if clients.count > 3, Int.random(in: 0..<3, using: &random) == 0 {
                clients.remove(at: Int.random(in: 0..<clients.count, using: &random)).close()
                world.run(forMilliseconds: 200)
            }
            let before = try #require(world.server).connectionCounts
            clients.append(try world.greet())
            let after = try #require(world.server).connectionCounts
            let grown = (0..<4).filter { after[$0] > before[$0] }
            #expect(grown.count == 1 && before[grown[0]] == before.min(), "\(before) \(after)")
        }
        for client in clients { client.close() }
        world.run(forMilliseconds: 1000)
        #expect(world.server?.connectionCounts == [0, 0, 0, 0])
    }

    /// The handles show the loops of the rooms. For the same names these differ from process to
    /// process.
    @Test func roomsFallOnOtherLoopsInAnotherProcess() throws {
        let names = (0..<24).map { "room\($0)" }
        let placements = try (1...3 as ClosedRange<UInt64>).map { seed in
            let world = try World(seed: seed) { $0.threads = 4 }
            let client = try world.greet()
            return try names.map { try world.join(client, $0) % 4 }
        }
        #expect(Set(placements).count == 3)
        for placement in placements { #expect(Set(placement).count == 4) }
        let again = try World(seed: 1) { $0.threads = 4 }
        let client = try again.greet()
        #expect(try names.map { try again.join(client, $0) % 4 } == placements[0])
    }
}
