import Glibc

/// The seeds of the random stories.
enum StorySeeds {
    /// The only seed to play, if one is given.
    static let only = environment("COLLSYNC_SEED")
    /// How many stories a run plays otherwise.
    static let count = environment("COLLSYNC_STORIES") ?? 300

    static var all: Range<UInt64> { only.map { $0..<$0 + 1 } ?? 0..<count }

    private static func environment(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }
}
