import Testing

/// Random stories of members that show their presence.
///
/// To play one again, or many: `COLLSYNC_SEED=17 swift test --filter PresenceHistoryTests`,
/// `COLLSYNC_STORIES=10000 swift test --filter PresenceHistoryTests`.
@Suite("Presence in random histories")
struct PresenceHistoryTests {
    @Test("each member sees every newest state of the others once, and all of them in the end")
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
        #expect(updates > 20 * Int(count), "members get updates")
        #expect(departures > Int(count), "members leave")
        #expect(restarts > Int(count) / 10, "some are so slow that they start again")
    }
}
