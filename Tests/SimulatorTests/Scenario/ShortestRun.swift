/// A scenario that fails, with as few faults as still show it.
struct ShortestRun: CustomStringConvertible {
    let scenario: Scenario
    let verdict: SimulatedRun.Verdict

    private static let maximumTrials = 200
    private static let shownLines = 60

    /// Leaves out faults, one after the other, as long as the same kind of thing is wrong.
    static func find(_ scenario: Scenario, _ verdict: SimulatedRun.Verdict) -> ShortestRun {
        var shortest = ShortestRun(scenario: scenario, verdict: verdict)
        guard let kind = verdict.violations.first?.kind else { return shortest }
        var trials = 0
        var isShrinking = true
        while isShrinking {
            isShrinking = false
            for index in shortest.scenario.faults.indices.reversed() where trials < maximumTrials {
                trials += 1
                var less = shortest.scenario
                less.faults.remove(at: index)
                guard let found = try? SimulatedRun.play(less),
                    found.violations.first?.kind == kind
                else { continue }
                shortest = ShortestRun(scenario: less, verdict: found)
                isShrinking = true
            }
        }
        return shortest
    }

    var description: String {
        """
        seed \(scenario.seed): \(scenario)
        \(verdict.violations.map(\.description).joined(separator: "\n"))
        The fewest faults that show it:
        \(scenario.faults.map(\.description).joined(separator: "\n"))
        What happened:
        \(verdict.timeline.suffix(ShortestRun.shownLines).joined(separator: "\n"))
        To play it again: COLLSYNC_SEED=\(scenario.seed) swift test --filter SimulatorTests
        """
    }
}
