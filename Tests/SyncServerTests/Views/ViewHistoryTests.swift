import Glibc
import Testing

/// Random stories of a room and those who view it.
///
/// To play one again, or many: `COLLSYNC_SEED=17 swift test --filter ViewHistoryTests`,
/// `COLLSYNC_STORIES=10000 swift test --filter ViewHistoryTests`.
@Suite("Views in random histories")
struct ViewHistoryTests {
    private static func environment(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    @Test("every screen is the room laid out from scratch, after every update")
    func histories() throws {
        let seed = ViewHistoryTests.environment("COLLSYNC_SEED")
        let count = ViewHistoryTests.environment("COLLSYNC_STORIES") ?? 300
        var updates = 0
        for seed in seed.map({ $0..<$0 + 1 }) ?? 0..<count {
            let story = try ViewStory(seed: seed)
            if let problem = try story.play(steps: 120) {
                Issue.record("seed \(seed): \(problem)")
                return
            }
            updates += story.updateCount
        }
        #expect(seed != nil || updates > 20 * Int(count), "viewers are told something")
    }
}
