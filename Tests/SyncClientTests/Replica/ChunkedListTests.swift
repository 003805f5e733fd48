import SeededRandom
import Testing

@testable import SyncClient

@Suite struct ChunkedListTests {
    /// Random steps on a list with tiny chunks and on an array.
    @Test(arguments: 0..<40) func behavesLikeAnArray(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var list = ChunkedList<Int>(maximumChunk: 2 + random.below(4))
        var array: [Int] = []
        for step in 0..<300 {
            if random.chance(55) {
                let additions = 1 + random.below(random.chance(20) ? 30 : 3)
                let arrivals = Self.targets(additions, after: array.count, &random).map {
                    (index: $0, element: step * 100 + $0)
                }
                list.insert(arrivals)
                for arrival in arrivals { array.insert(arrival.element, at: arrival.index) }
            } else {
                let indices = array.indices.filter { _ in random.chance(random.below(40)) }
                let removed = list.remove(at: indices)
                #expect(removed == indices.map { array[$0] }, "seed \(seed), step \(step)")
                for index in indices.reversed() { array.remove(at: index) }
            }
            if !array.isEmpty {
                let index = random.below(array.count)
                array[index] += 1
                list[index] += 1
            }
            list.checkInvariants()
            #expect(list.elements == array, "seed \(seed), step \(step)")
        }
    }

    /// Ascending target indices that leave no gap after the first `count` elements.
    private static func targets(
        _ additions: Int, after count: Int, _ random: inout SplitMix64
    ) -> [Int] {
        var chosen: Set<Int> = []
        while chosen.count < additions { chosen.insert(random.below(count + additions)) }
        return chosen.sorted().enumerated().map { min($1, count + $0) }
    }
}
