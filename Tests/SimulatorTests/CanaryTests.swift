import Testing

/// Plants a bug of each kind that the simulator must find. It must find all of them, as violations
/// of the right kind.
@Suite struct CanaryTests {
    /// The bug must be found within this many seeds.
    private static let seeds: Range<UInt64> = 1000..<1040

    @Test(arguments: Canary.allCases)
    func plantedBugIsFound(canary: Canary) throws {
        var missing = canary.accusations
        let isFound = try CanaryTests.seeds.contains { seed in
            let scenario = canary.prepared(Scenario(seed: seed))
            if canary.isOfAccess, !scenario.hasTokens { return false }
            let verdict = try SimulatedRun.play(scenario, with: canary)
            missing = missing.filter { text in !verdict.timeline.contains { $0.contains(text) } }
            return verdict.violations.contains { $0.kind == canary.expected } && missing.isEmpty
        }
        #expect(isFound, "\(missing)")
    }

    /// Without a bug, the same seeds find nothing. Mutants of the server are also planted for this
    /// test, so it has enough runs with tokens.
    @Test func withoutABugNothingIsFound() throws {
        let seeds = CanaryTests.seeds
        for seed in seeds where seed < seeds.lowerBound + 10 || Scenario(seed: seed).hasTokens {
            let verdict = try SimulatedRun.play(Scenario(seed: seed))
            #expect(
                verdict.violations.isEmpty,
                "seed \(seed): \(verdict.violations.map(\.description))")
        }
    }
}
