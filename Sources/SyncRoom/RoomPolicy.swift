package import SyncModel

/// What a room may keep and hold.
package struct RoomPolicy: Sendable, Equatable {
    /// For how many past revisions dead nodes are kept.
    package var horizon: Revision = 10_000
    /// For how many at most, where a member may still make transactions from them. What members
    /// were sent last is kept beyond that.
    package var maximumHorizon: Revision = 200_000
    /// How many dead nodes are kept at most, whoever needs them.
    package var maximumDeadNodes = 2_000_000
    /// How many bytes, at most, of what was deleted or replaced are kept, and for how many bytes of
    /// log, whoever needs them.
    package var maximumHorizonBytes = 64 << 20
    /// How many items a room may hold: so many that their first layout takes a job's 100 ms.
    package var maximumItems = 3_000_000
    /// How many sections a room may hold.
    package var maximumSections = 100_000

    /// How many authors a room remembers one by one, beside those that are members. Beyond that the
    /// one that wrote longest ago is evicted.
    package var maximumAuthors = 100_000

    /// How many bytes a room may take in memory: its items and sections, what it remembers of the
    /// past, and its authors. Layouts have what is left of them.
    package var maximumBytes = 2 << 30

    /// How many bytes all layouts of a room may take that views show, and one of them.
    package var maximumLayoutBytes = 512 << 20
    package var maximumBytesOfLayout = 256 << 20
    /// How many layouts a room is shown in at once.
    package var maximumLayouts = 64
    /// How many points beyond a view's bounds elements may be wanted. It is far more than any
    /// screen.
    package var maximumOverscan = 1_000_000
    /// How many drags may be shared at once: each is two edits more for every update of a view.
    package var maximumSharedDrags = 8
    /// While members are being sent so many bytes in parts, no snapshot is begun: others wait until
    /// some are taken.
    package var maximumChunkBytes = 64 << 20
    /// How many bytes may be held of what members show each other.
    package var maximumPresenceBytes = 16 << 20

    /// How far the horizon goes in one tick, so that no tick takes long.
    static let horizonStep: Revision = 20_000
    /// How many journal entries that are forgotten are swept in one tick at most, some
    /// milliseconds' work; less where turns are short.
    static let sweepStep = 20_000

    package init() {}
}
