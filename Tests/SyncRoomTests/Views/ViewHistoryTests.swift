import Testing

/// Random stories of a room and its viewers.
///
/// To play one again, or many: `COLLSYNC_SEED=17 swift test --filter ViewHistoryTests`,
/// `COLLSYNC_STORIES=10000 swift test --filter ViewHistoryTests`.
@Suite("Views in random histories")
struct ViewHistoryTests {
    @Test("after every update the screen equals a fresh layout of the room")
    func histories() throws {
        var (updates, arrivals, placements) = (0, 0, 0)
        for seed in StorySeeds.all {
            let story = try ViewStory(seed: seed)
            if let problem = try story.play(steps: 120) {
                Issue.record("seed \(seed): \(problem)")
                return
            }
            updates += story.updateCount
            arrivals += story.arrivals
            placements += story.placements
        }
        guard StorySeeds.only == nil else { return }
        #expect(updates > 20 * Int(StorySeeds.count), "viewers get updates")
        #expect(arrivals > Int(StorySeeds.count), "views go to items")
        #expect(placements > Int(StorySeeds.count) / 2, "bounds come with other layouts")
    }
}
