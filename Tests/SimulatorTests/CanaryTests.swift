import Testing

/// Bugs of each kind that the simulator is there for, planted: all must be found, and for what they
/// are.
@Suite struct CanaryTests {
    /// So many seeds must be enough.
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

    /// Without any, the same seeds show nothing.
    @Test func withoutABugNothingIsFound() throws {
        for seed in CanaryTests.seeds.prefix(10) {
            let verdict = try SimulatedRun.play(Scenario(seed: seed))
            #expect(verdict.violations.isEmpty, "seed \(seed)")
        }
    }
}
