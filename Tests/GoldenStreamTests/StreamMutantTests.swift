import EngineTwin
import Testing

/// The recorded streams distinguish the merge rules from others: a twin that gets any one clause
/// wrong differs somewhere from what was recorded.
@Suite struct StreamMutantTests {
    private static func players() throws -> [StreamPlayer] {
        try GoldenStream.names.map { try StreamPlayer(GoldenStream(named: $0)) }
    }

    /// The twin that gets nothing wrong answers as recorded.
    @Test func theRulesAreWhatWasRecorded() throws {
        for (name, player) in zip(GoldenStream.names, try StreamMutantTests.players()) {
            let step = player.firstDifference(nil)
            #expect(step == nil, "\(name) differs from the rules at step \(step ?? 0)")
        }
    }

    @Test func everyMutantIsFound() async throws {
        let players = try StreamMutantTests.players()
        let survivors = await withTaskGroup(of: Mutation?.self) { group -> [Mutation] in
            for mutation in Mutation.allCases {
                group.addTask {
                    let isFound = players.contains { $0.firstDifference(mutation) != nil }
                    return isFound ? nil : mutation
                }
            }
            var survivors: [Mutation] = []
            for await survivor in group {
                if let survivor { survivors.append(survivor) }
            }
            return survivors
        }
        for mutation in survivors.sorted(by: { $0.rawValue < $1.rawValue }) {
            Issue.record("no stream tells: \(mutation.rawValue)")
        }
    }
}
