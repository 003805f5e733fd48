import SyncBytes
import SyncModel

/// A placement where it lies in a ``PackedTransaction``.
struct PlacementView: BitwiseCopyable {
    enum Position: BitwiseCopyable {
        case end
        case after(UnsafeRawBufferPointer)
        case before(UnsafeRawBufferPointer)
        case index(UInt64)
    }

    private(set) var section: UnsafeRawBufferPointer?
    private(set) var position = Position.end
    /// The ids of the trail, each behind its tag and its length.
    private var trailBytes = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Finds the parts of a canonical message `Placement`.
    @inline(__always)
    init(_ message: UnsafeRawBufferPointer) {
        typealias Number = Placement.Number
        var reader = ByteReader(message)
        section = reader.take(Number.section)
        if reader.pass(UInt8(Number.index << 3)) {
            position = .index((try? reader.readVarint()) ?? 0)
        } else if let anchor = reader.take(Number.after) {
            position = .after(anchor)
        } else if let anchor = reader.take(Number.before) {
            position = .before(anchor)
        }
        trailBytes = reader.rest
    }

    /// What it stands beside, if it does.
    var anchor: UnsafeRawBufferPointer? {
        switch position {
        case .after(let anchor), .before(let anchor): anchor
        case .end, .index: nil
        }
    }

    /// Whether it is directly after or before the thing itself.
    func isBeside(_ id: UnsafeRawBufferPointer) -> Bool {
        anchor.map { $0.hasSameBytes(as: id) } ?? false
    }

    /// The ids of earlier siblings, nearest first.
    var trail: MessageParts { MessageParts(trailBytes) }
}
