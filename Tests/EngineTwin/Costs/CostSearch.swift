/// Looks for trials that cost much: it changes the worst one known, a little at a time.
package struct CostSearch {
    private var random: SplitMix64
    /// The worst input found, and what it cost.
    package private(set) var worst: (bytes: [UInt8], cost: CostTrial.Cost)?

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Plays some trials, each made of the worst so far or of nothing.
    package mutating func run(trials: Int) throws(Difference) {
        for _ in 0..<trials {
            let bytes = nextInput()
            var trial = CostTrial(bytes)
            guard let cost = try trial.run() else { continue }
            if worst.map({ cost.share > $0.cost.share }) ?? true { worst = (bytes, cost) }
        }
    }

    private mutating func nextInput() -> [UInt8] {
        guard var bytes = worst?.bytes, random.chance(70) else {
            return (0..<(16 + random.below(400))).map { _ in UInt8(random.below(256)) }
        }
        for _ in 0...random.below(4) {
            let at = random.below(bytes.count)
            switch random.below(3) {
            case 0: bytes.insert(UInt8(random.below(256)), at: at)
            case 1 where bytes.count > 8: bytes.remove(at: at)
            default: bytes[at] = UInt8(random.below(256))
            }
        }
        return bytes
    }
}
