import SyncBytes
import SyncEngine
import SyncWire

/// A room at one revision, encoded for everyone who is being sent it.
package final class SnapshotFrames {
    let revision: Revision
    let frames: [EncodedFrame]

    init(revision: Revision, frames: [EncodedFrame]) {
        self.revision = revision
        self.frames = frames
    }

    var byteCount: Int { frames.reduce(0) { $0 + $1.plain.count } }
}

/// Frames on their way to a member, in as many deliveries as it takes.
struct Transfer {
    let source: SnapshotFrames
    private(set) var next = 0

    init(_ source: SnapshotFrames) {
        self.source = source
    }

    var isAtEnd: Bool { next == source.frames.count }

    /// The frames of the next delivery: at least one, and not many bytes.
    mutating func take(atMost limitBytes: Int) -> ArraySlice<EncodedFrame> {
        let start = next
        var bytes = 0
        while !isAtEnd, next == start || bytes + source.frames[next].plain.count <= limitBytes {
            bytes += source.frames[next].plain.count
            next += 1
        }
        return source.frames[start..<next]
    }
}
