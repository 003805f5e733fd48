import SyncModel

/// Plays the histories of one seed and, where the engine differs from the twin, reports the
/// shortest history in which it does.
package struct HistoryTrial<Tested: CollectionEngine> {
    private let make: () -> Tested

    package init(_ make: @escaping () -> Tested = { Tested() }) { self.make = make }

    /// A difference, with the history that shows it.
    package struct Failure: Error, CustomStringConvertible {
        let seed: UInt64
        let steps: [HistoryStep]
        let difference: Difference

        package var description: String {
            """
            \(difference)
            The shortest history found for seed \(seed):
            \(steps.map(\.description).joined(separator: "\n"))
            To play it again: COLLSYNC_SEED=\(seed) swift test --filter HistoryTests
            """
        }
    }

    /// Plays `transactions` transactions, in one history.
    ///
    /// - Parameter blindPercent: how many of those with base 0 have seen nothing.
    package func run(
        seed: UInt64, transactions: Int, blindPercent: Int = 0
    ) throws(Failure) -> HistoryTally {
        var generator = HistoryGenerator(seed: seed, blindPercent: blindPercent)
        let player = HistoryPlayer(make())
        while player.transactionCount < transactions {
            do throws(Difference) {
                try player.play(generator.next(player.twin))
            } catch {
                let shrinker = HistoryShrinker(make: make)
                let shortest = shrinker.shrink(player.steps)
                throw Failure(
                    seed: seed, steps: shortest?.steps ?? player.steps,
                    difference: shortest?.difference ?? error)
            }
        }
        return player.result
    }
}
