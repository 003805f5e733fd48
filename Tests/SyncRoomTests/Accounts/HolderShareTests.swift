import RoomSupport
import SyncModel
import SyncRoom
import Testing

@Suite("Connections of one holder")
struct HolderShareTests {
    @Test("stay within its share when all write in one turn")
    func oneTurn() throws {
        let limit = 1 << 20
        let pots = Pots(memory: limit)
        let scene = RoomScene(turnSteps: 1 << 20, pots: pots)
        try scene.commit(scene.inserts(["first"], bytes: 100))
        let stranger = Holder(in: pots)
        let members = try (0..<20).map { _ in
            try scene.join(holder: Holder(in: pots, within: stranger))
        }
        scene.room.countMemory(own: 0, records: 0)
        for (number, member) in members.enumerated() {
            for counter in 1...50 as ClosedRange<UInt64> {
                let insert = try scene.inserts(["i\(number)-\(counter)"], bytes: 2000)
                let packed = try PackedTransaction(ListTransaction(base: 1, operations: insert))
                _ = scene.room.receive(packed, counter: counter, from: member)
                scene.room.applyQueued(at: 0)
            }
        }
        #expect(pots.memory.used > limit / 2)
        scene.room.countMemory(own: 0, records: 0)
        #expect(pots.memory.used < limit / 100 * 97)
    }
}
