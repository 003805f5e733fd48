package import EngineTwin
import SeededRandom

/// Looks for conversations that cost much: it changes the worst one known, a little at a time.
package struct RoomCostSearch {
    private var random: SplitMix64
    /// The worst input found, and what its costliest turn cost.
    package private(set) var worst: (bytes: [UInt8], cost: RoomCostTrial.Cost)?

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Plays some trials, each made of the worst so far or of nothing.
    package mutating func run(trials: Int) throws(Difference) {
        for _ in 0..<trials {
            let bytes = random.changedInput(of: worst?.bytes)
            var trial = RoomCostTrial(bytes)
            guard let cost = try trial.run() else { continue }
            if worst.map({ cost.share > $0.cost.share }) ?? true { worst = (bytes, cost) }
        }
    }
}
