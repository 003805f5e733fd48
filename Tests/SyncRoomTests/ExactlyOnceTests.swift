import SyncRoom
import Testing

@Suite("Exactly once")
struct ExactlyOnceTests {
    private func play(
        seed: UInt64, clients: Int, steps: Int = 400,
        _ change: (inout RoomPolicy) -> Void = { _ in }
    ) throws -> OnceStory {
        var policy = RoomPolicy()
        policy.horizon = seed % 20 + 1
        policy.maximumHorizon = 2 * policy.horizon
        policy.maximumItems = 4
        change(&policy)
        let story = try OnceStory(seed: seed, clients: clients, policy: policy)
        for _ in 0..<steps { try story.takeStep() }
        try story.finish()
        try story.judge()
        #expect(story.findings == [], "seed \(seed)")
        return story
    }

    @Test("whatever is killed or fails, and whoever sends again", arguments: 1...100)
    func once(seed: UInt64) throws {
        let story = try play(seed: seed, clients: 3)
        // The room remembers all of these clients.
        #expect(story.forgottenAnswerCount == 0)
    }

    @Test("where authors are evicted and come back", arguments: 300...400)
    func evicted(seed: UInt64) throws {
        let story = try play(seed: seed, clients: 8, steps: 600) {
            $0.maximumAuthors = Int(seed % 4) + 1
        }
        #expect(story.evictionCount > 0, "seed \(seed)")
    }

    @Test("where so many authors are evicted that much is forgotten")
    func forgotten() throws {
        var count = 0
        for seed in 500..<560 as Range<UInt64> {
            count += try play(seed: seed, clients: 10, steps: 600) { $0.maximumAuthors = 1 }
                .forgottenAnswerCount
        }
        #expect(count > 20)
    }

    @Test("where the server is killed after each record")
    func killedBehindEachRecord() throws {
        for seed in 200..<220 as Range<UInt64> {
            let story = try OnceStory(seed: seed, clients: 2, policy: RoomPolicy())
            for _ in 0..<200 {
                let count = story.log.count
                try story.takeStep()
                if story.log.count > count { try story.crash() }
            }
            try story.finish()
            try story.judge()
            #expect(story.findings == [], "seed \(seed)")
        }
    }
}
