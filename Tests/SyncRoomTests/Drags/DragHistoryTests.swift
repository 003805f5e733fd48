import Testing

/// Random stories of a room in which items are dragged.
///
/// To play one again, or many: `COLLSYNC_SEED=17 swift test --filter DragHistoryTests`,
/// `COLLSYNC_STORIES=10000 swift test --filter DragHistoryTests`.
@Suite("Drags in random histories")
struct DragHistoryTests {
    @Test("every screen shows the room with all drags dropped, and the room itself in the end")
    func histories() throws {
        var events = DragStory.Events()
        for seed in StorySeeds.all {
            let story = try DragStory(seed: seed)
            if let problem = try story.play(steps: 120) {
                Issue.record("seed \(seed): \(problem)")
                return
            }
            events.updates += story.events.updates
            events.targets += story.events.targets
            events.landings += story.events.landings
            events.losses += story.events.losses
            events.unclear += story.events.unclear
        }
        guard StorySeeds.only == nil else { return }
        print("\(StorySeeds.count) stories of drags: \(events)")
        let count = Int(StorySeeds.count)
        #expect(events.updates > 10 * count && events.targets > 3 * count, "\(events)")
        #expect(events.landings > count / 2 && events.losses > count / 3, "\(events)")
        #expect(events.unclear < events.updates / 20, "\(events)")
    }
}
