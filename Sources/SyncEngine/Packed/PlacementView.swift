import SyncBytes
import SyncModel

/// A view of a placement in a ``PackedTransaction``.
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

    /// The id of the sibling to stand beside, if it names one.
    var anchor: UnsafeRawBufferPointer? {
        switch position {
        case .after(let anchor), .before(let anchor): anchor
        case .end, .index: nil
        }
    }

    /// Whether the sibling that it names has this id.
    func isBeside(_ id: UnsafeRawBufferPointer) -> Bool {
        anchor.map { $0.hasSameBytes(as: id) } ?? false
    }

    /// The ids of earlier siblings, nearest first.
    var trail: MessageParts { MessageParts(trailBytes) }
}
