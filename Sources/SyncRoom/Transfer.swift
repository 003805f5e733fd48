import SyncBytes
import SyncEngine
import SyncWire

/// Frames that bring members to a revision: a batch, some, or a snapshot. All who are sent it share it.
package final class Parcel {
    let revision: Revision
    let isSnapshot: Bool
    let frames: [EncodedFrame]
    let byteCount: Int
    private let meter: ParcelMeter

    init(
        revision: Revision, frames: [EncodedFrame], isSnapshot: Bool = false, meter: ParcelMeter
    ) {
        self.revision = revision
        self.isSnapshot = isSnapshot
        self.frames = frames
        self.meter = meter
        byteCount = frames.reduce(0) { $0 + $1.plain.count }
        meter.byteCount += byteCount
    }

    deinit {
        meter.byteCount -= byteCount
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
