import SeededRandom
import Testing

@testable import SyncEngine

@Suite("Numbers sorted by key")
struct KeyedNumberTests {
    @Test("they are sorted as by a plain stable sort", arguments: 0..<60)
    func sorting(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for count in [0, 1, 2, 24, 25, 300, 5000] {
            // From keys that are all one to those that differ in all their bytes.
            let mask = UInt64.max >> UInt64.random(in: 0...64, using: &random)
            let offset = UInt64.random(in: 0...(.max - mask), using: &random)
            var numbers = (0..<UInt32(count)).map {
                KeyedNumber(key: offset + random.next() & mask, number: $0)
            }
            let expected = numbers.sorted { ($0.key, $0.number) < ($1.key, $1.number) }
            numbers.sortByKey()
            #expect(numbers.map(\.number) == expected.map(\.number))
            #expect(numbers.map(\.key) == expected.map(\.key))
        }
    }
}
