import SeededRandom
import Testing

@testable import SyncEngine

/// A table of ids against a dictionary, while it grows step by step.
@Suite struct IdentifierTableTests {
    @Test(arguments: 0..<20)
    func findsWhatIsEntered(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let table = IdentifierTable()
        var model: [UInt32: UInt32] = [:]
        // Few hashes, so that entries stand in each other's way.
        func hash(_ number: UInt32) -> UInt32 { number / 3 &* 0x9E37_79B1 }
        for _ in 0..<4_000 {
            let number = UInt32(1 + random.below(1_500))
            if model[number] == nil, random.below(3) > 0 {
                table.insert(number, hash: hash(number))
                model[number] = hash(number)
            } else if model[number] != nil, random.below(3) == 0 {
                table.remove(number, hash: hash(number))
                model[number] = nil
            }
            let asked = UInt32(1 + random.below(1_500))
            let found = table.find(hash(asked)) { $0 == asked }
            #expect(found == (model[asked] == nil ? 0 : asked))
        }
        #expect(table.count == model.count)
        for number in model.keys { #expect(table.find(hash(number)) { $0 == number } == number) }
    }
}
