import SeededRandom
import Testing

@testable import SyncEngine

@Suite("What a transaction took out")
struct TakenOutTests {
    @Test("each thing is in it once, few or many", arguments: 0..<40)
    func agreesWithASet(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var takenOut = TakenOut()
        for _ in 0..<4 {
            var expected: Set<ThingID> = []
            for _ in 0..<Int.random(in: 0...80, using: &random) {
                let thing = ThingID.random(in: 0..<50, using: &random)
                takenOut.insert(thing)
                expected.insert(thing)
                #expect(takenOut.list.count == expected.count)
                let asked = ThingID.random(in: 0..<50, using: &random)
                #expect(takenOut.contains(asked) == expected.contains(asked))
            }
            #expect(Set(takenOut.list) == expected && takenOut.isEmpty == expected.isEmpty)
            takenOut.removeAll()
            #expect(takenOut.isEmpty && !takenOut.contains(expected.first ?? 0))
        }
    }
}
