import SyncBytes
import SyncEngine
import SyncWire

/// Frames that bring members to a revision: a batch, some, or a snapshot. All who are sent it share it.
package final class Parcel {
    let revision: Revision
    let isSnapshot: Bool
    let frames: [EncodedFrame]
    let byteCount: Int
    private var meter: ParcelMeter?

    init(revision: Revision, frames: [EncodedFrame], isSnapshot: Bool = false) {
        self.revision = revision
        self.isSnapshot = isSnapshot
        self.frames = frames
        byteCount = frames.reduce(0) { $0 + $1.plain.count }
    }

    /// Counts its bytes as long as it is there. Called once at most, on the room's loop.
    func count(in meter: ParcelMeter) {
        precondition(self.meter == nil, "a parcel is counted once")
        self.meter = meter
        meter.byteCount += byteCount
    }

    deinit {
        meter?.byteCount -= byteCount
    }

    /// Deflates all frames, before anybody else has them: so that is no work for a loop.
    func deflate() {
        let deflater = Deflater()
        for frame in frames { _ = frame.bytes(deflatedBy: deflater) }
    }
}

/// How many bytes a room's parcels have. Those that are made anew while somebody still reads an older one
/// are there beside it.
final class ParcelMeter {
    @exclusivity(unchecked) fileprivate(set) var byteCount = 0
}

/// Frames on their way to a member, in as many deliveries as it takes.
struct Transfer {
    let source: Parcel
    private(set) var next = 0

    init(_ source: Parcel) {
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
