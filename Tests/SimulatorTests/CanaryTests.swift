import Testing

/// Plants a bug of each kind that the simulator must find. It must find all of them, as violations
/// of the right kind.
@Suite struct CanaryTests {
    /// The bug must be found within this many seeds.
    private static let seeds: Range<UInt64> = 1000..<1040

    @Test(arguments: Canary.allCases)
    func plantedBugIsFound(canary: Canary) throws {
        let isFound = try CanaryTests.seeds.contains { seed in
            let verdict = try SimulatedRun.play(
                canary.prepared(Scenario(seed: seed)), with: canary)
            return verdict.violations.contains { $0.kind == canary.expected }
        }
        #expect(isFound)
    }

    /// Without a bug, the same seeds find nothing.
    @Test func withoutABugNothingIsFound() throws {
        for seed in CanaryTests.seeds.prefix(10) {
            let verdict = try SimulatedRun.play(Scenario(seed: seed))
            #expect(verdict.violations.isEmpty, "seed \(seed)")
        }
    }
}
