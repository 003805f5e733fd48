/// A failing scenario with as few faults as possible.
struct ShortestRun: CustomStringConvertible {
    let scenario: Scenario
    let verdict: SimulatedRun.Verdict

    private static let maximumTrials = 200
    private static let shownLines = 60

    /// Removes faults and strangers, one after the other, as long as the run has a violation of the
    /// same kind.
    static func find(_ scenario: Scenario, _ verdict: SimulatedRun.Verdict) -> ShortestRun {
        var shortest = ShortestRun(scenario: scenario, verdict: verdict)
        guard let kind = verdict.violations.first?.kind else { return shortest }
        var trials = 0
        var isShrinking = true
        while isShrinking {
            isShrinking = false
            for less in shortest.scenario.withOneLess where trials < maximumTrials {
                trials += 1
                guard let found = try? SimulatedRun.play(less),
                    found.violations.first?.kind == kind
                else { continue }
                shortest = ShortestRun(scenario: less, verdict: found)
                isShrinking = true
                break
            }
        }
        return shortest
    }

    private var suite: String { scenario.tricks.isEmpty ? "SimulatorTests" : "StrangerTests" }

    var description: String {
        """
        seed \(scenario.seed): \(scenario)
        \(verdict.violations.map(\.description).joined(separator: "\n"))
        The fewest faults that show it:
        \(scenario.faults.map(\.description).joined(separator: "\n"))
        What happened:
        \(verdict.timeline.suffix(ShortestRun.shownLines).joined(separator: "\n"))
        To play it again: COLLSYNC_SEED=\(scenario.seed) swift test --filter \(suite)
        """
    }
}

extension Scenario {
    /// The scenarios that have one fault or stranger less.
    fileprivate var withOneLess: [Scenario] {
        let withoutFaults = faults.indices.reversed().map { index in
            var less = self
            less.faults.remove(at: index)
            return less
        }
        let withoutTricks = tricks.indices.map { index in
            var less = self
            less.tricks.remove(at: index)
            return less
        }
        return withoutFaults + withoutTricks.filter { !$0.tricks.isEmpty }
    }
}
