import SeededRandom

/// Looks for trials that cost much: it changes the worst one known, a little at a time.
package struct CostSearch {
    private var random: SplitMix64
    /// The worst input found, and what it cost.
    package private(set) var worst: (bytes: [UInt8], cost: CostTrial.Cost)?

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Plays some trials, each made of the worst so far or of nothing.
    package mutating func run(trials: Int) throws(Difference) {
        for _ in 0..<trials {
            let bytes = random.changedInput(of: worst?.bytes)
            var trial = CostTrial(bytes)
            guard let cost = try trial.run() else { continue }
            if worst.map({ cost.share > $0.cost.share }) ?? true { worst = (bytes, cost) }
        }
    }
}

extension SplitMix64 {
    /// An input for a trial: one that is known with some changes, or one of nothing.
    package mutating func changedInput(of known: [UInt8]?) -> [UInt8] {
        guard var bytes = known, chance(70) else {
            return (0..<(16 + below(400))).map { _ in UInt8(below(256)) }
        }
        for _ in 0...below(4) {
            let at = below(bytes.count)
            switch below(3) {
            case 0: bytes.insert(UInt8(below(256)), at: at)
            case 1 where bytes.count > 8: bytes.remove(at: at)
            default: bytes[at] = UInt8(below(256))
            }
        }
        return bytes
    }
}
