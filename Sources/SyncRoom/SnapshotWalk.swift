package import SyncEngine
package import SyncWire

/// Makes a snapshot part by part, as a walk of the live room, while transactions are applied.
package final class SnapshotWalk {
    /// The snapshot; `nil` when nobody is being sent it any more.
    private(set) weak var span: Span?
    private var walk: RoomWalk
    private var encoder: SnapshotEncoder
    /// How many sections and items are written, and how many the walk has passed. After the walk
    /// has begun again in another state, it has passed fewer; those are not written twice.
    private var writtenCount = 0
    private var passedCount = 0

    /// - Parameter firstPartBytes: the size of the first part, if that is another one.
    /// - Returns: `nil` if the revision of the span is before the horizon.
    package init?(
        _ span: Span, of engine: Engine, on channel: Channel, partBytes: Int,
        firstPartBytes: Int? = nil
    ) {
        guard let walk = RoomWalk(engine, at: span.revision) else { return nil }
        self.span = span
        self.walk = walk
        encoder = SnapshotEncoder(
            channel: channel, revision: span.revision, totalItems: UInt64(walk.itemCount),
            partBytes: partBytes, firstPartBytes: firstPartBytes)
    }

    /// How many steps the walk has made.
    var stepsTaken: Int { walk.stepsTaken }

    /// How many steps are left, about, or more.
    package func stepsLeft(in engine: Engine) -> Int { walk.stepsLeft(in: engine) }

    /// Begins again in another state, which has the same content at this revision.
    ///
    /// - Returns: `false` if the revision is before that state's horizon.
    package func restart(in engine: Engine) -> Bool {
        guard let walk = RoomWalk(engine, at: walk.revision) else { return false }
        self.walk = walk
        passedCount = 0
        return true
    }

    /// Makes more parts, in about so many steps.
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

    /// Counts a section or an item. Returns whether it is to be written.
    private func isNext() -> Bool {
        passedCount += 1
        guard passedCount > writtenCount else { return false }
        writtenCount = passedCount
        return true
    }
}
