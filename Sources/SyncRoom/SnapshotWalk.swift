package import SyncEngine
package import SyncWire

/// Makes a snapshot part by part, as a walk of the live room, while transactions go on.
package final class SnapshotWalk {
    /// The snapshot; gone when nobody is sent it any more.
    private(set) weak var span: Span?
    private var walk: RoomWalk
    private var encoder: SnapshotEncoder
    /// How many sections and items are written, and how many the walk has passed: less, where it
    /// has begun again in a state that was read from disk.
    private var writtenCount = 0
    private var passedCount = 0

    /// - Returns: `nil` if the room does not remember the revision of the span.
    package init?(_ span: Span, of engine: Engine, on channel: Channel, partBytes: Int) {
        guard let walk = RoomWalk(engine, at: span.revision) else { return nil }
        self.span = span
        self.walk = walk
        encoder = SnapshotEncoder(
            channel: channel, revision: span.revision, totalItems: UInt64(walk.itemCount),
            partBytes: partBytes)
    }

    /// How much was walked over and written.
    var stepsTaken: Int { walk.stepsTaken }

    /// How much there is left of that, about, or more.
    package func stepsLeft(in engine: Engine) -> Int { walk.stepsLeft(in: engine) }

    /// Begins again in another state of the room, which has the same content at the revision.
    ///
    /// - Returns: `false` if that does not remember it.
    func begin(again engine: Engine) -> Bool {
        guard let walk = RoomWalk(engine, at: walk.revision) else { return false }
        self.walk = walk
        passedCount = 0
        return true
    }

    /// Makes some more parts, about as long as so many steps last.
    package func make(
        from engine: Engine, stepLimit: Int
    ) -> (progress: RoomWalk.Progress, frames: [EncodedFrame]) {
        var frames: [EncodedFrame] = []
        let end = walk.stepsTaken + stepLimit
        var progress = RoomWalk.Progress.more
        while progress == .more, walk.stepsTaken < end {
            progress = walk.read(engine, stepLimit: end - walk.stepsTaken) { section in
                if isNext() {
                    if encoder.isPartFull { frames.append(encoder.takePart()) }
                    encoder.append(section)
                }
                return true
            } item: { item in
                if isNext() {
                    if encoder.isPartFull { frames.append(encoder.takePart()) }
                    encoder.append(item)
                }
                return true
            }
        }
        if progress == .atEnd { frames.append(encoder.finish()) }
        return (progress, frames)
    }

    /// Whether what the walk comes to is to be written.
    private func isNext() -> Bool {
        passedCount += 1
        guard passedCount > writtenCount else { return false }
        writtenCount = passedCount
        return true
    }
}
