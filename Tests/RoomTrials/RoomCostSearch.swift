package import EngineTwin
import SeededRandom

/// Searches for expensive conversations by changing the worst known one a little at a time.
package struct RoomCostSearch {
    private var random: SplitMix64
    /// The worst input found, and the cost of its most expensive turn.
    package private(set) var worst: (bytes: [UInt8], cost: RoomCostTrial.Cost)?

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Plays some trials, each made from the worst input so far or from nothing.
    package mutating func run(trials: Int) throws(Difference) {
        for _ in 0..<trials {
            let bytes = random.changedInput(of: worst?.bytes)
            var trial = RoomCostTrial(bytes)
            guard let cost = try trial.run() else { continue }
            if worst.map({ cost.share > $0.cost.share }) ?? true { worst = (bytes, cost) }
        }
    }
}
