import Testing

/// Random stories of those who show each other what they do.
///
/// To play one again, or many: `COLLSYNC_SEED=17 swift test --filter PresenceHistoryTests`,
/// `COLLSYNC_STORIES=10000 swift test --filter PresenceHistoryTests`.
@Suite("Presence in random histories")
struct PresenceHistoryTests {
    @Test("all see the newest of all others, each once at a time, and in the end what is there")
    func histories() throws {
        var updates = 0
        var departures = 0
        var restarts = 0
        for seed in StorySeeds.all {
            let story = try PresenceStory(seed: seed)
            if let problem = try story.play(steps: 150) {
                Issue.record("seed \(seed): \(problem)")
                return
            }
            updates += story.events.updates
            departures += story.events.departures
            restarts += story.events.restarts
        }
        guard StorySeeds.only == nil else { return }
        let count = StorySeeds.count
        #expect(updates > 20 * Int(count), "members are told something")
        #expect(departures > Int(count), "members leave")
        #expect(restarts > Int(count) / 10, "some are so slow that they begin anew")
    }
}
