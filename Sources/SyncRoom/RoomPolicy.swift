import SyncEngine
package import SyncModel

/// The limits of a room: of its content, its memory, and what it remembers of the past.
package struct RoomPolicy: Sendable, Equatable {
    /// Dead nodes of so many past revisions are kept, even if no member needs them.
    package var horizon: Revision = 10_000
    /// Dead nodes of so many past revisions are kept if a member may still send transactions with
    /// such a base. The horizon never passes the revision that a member was sent last.
    package var maximumHorizon: Revision = 200_000
    /// No more dead nodes than these are kept, even if a member needs them.
    package var maximumDeadNodes = 2_000_000
    /// The most bytes of deleted or replaced content that are kept, and of the log for which they
    /// are kept. What exceeds this is dropped, even if a member needs it.
    package var maximumHorizonBytes = 64 << 20
    /// No more past revisions than these are kept, even if a member needs them, or
    /// ``maximumHorizon`` is larger. Each takes eight bytes, even if it has changed nothing.
    package var maximumRevisions = Engine.retainedRevisions
    /// How many items a room may have. The first layout of so many takes the 100 ms of a job.
    package var maximumItems = 3_000_000
    /// How many sections a room may have.
    package var maximumSections = 100_000

    /// How many members a room may have; `nil` for no limit.
    package var maximumMembers: Int?
    /// How much is written to the room in a second.
    package var writes = WriteLimits()

    /// How many authors a room remembers one by one. Beyond that it evicts the one that wrote
    /// longest ago. Members are not evicted.
    package var maximumAuthors = 100_000

    /// Bytes of memory for a room's items and sections, what it remembers of the past, and its
    /// authors. Its layouts may have what those leave.
    package var maximumBytes = 2 << 30

    /// Bytes of all layouts of a room, and of one layout.
    package var maximumLayoutBytes = 512 << 20
    package var maximumBytesOfLayout = 256 << 20
    /// How many layouts a room has at once.
    package var maximumLayouts = 64
    /// How far beyond a view's bounds a client may ask for elements, in points. It is far more than
    /// any screen.
    package var maximumOverscan = 1_000_000
    /// How many drags may be shared at once. Each adds two edits of the layout to every update of a
    /// view.
    package var maximumSharedDrags = 8
    /// While chunks on their way to members take so many bytes, no snapshot is begun. Other members
    /// wait until some chunks are sent.
    package var maximumChunkBytes = 64 << 20
    /// Bytes of the presence that members show each other.
    package var maximumPresenceBytes = 16 << 20

    /// How far the horizon moves in one tick at most, so that no tick takes long.
    static let horizonStep: Revision = 20_000
    /// How many forgotten journal entries are swept in one tick at most: some milliseconds of work.
    /// Short turns sweep fewer.
    static let sweepStep = 20_000

    package init() {}
}
