package import SyncBytes
package import SyncModel

/// How the text of a line's part begins and ends, so that ``LineJoiner`` can append it to the text
/// of the part before without reading either.
///
/// A batch or a snapshot of any size is one line. It comes in parts, and each part becomes text
/// only once, for all who receive it. What stands between two parts, such as a comma or a bracket,
/// depends on both, but a writer knows only one of them. So a part's text ends with its last
/// element, without closing what may go on, and the joiner writes what stands between.
///
/// The text of a batch's part is that of a batch with only the stages and counts of the part. So
/// the text of a batch that comes in one part is its line.
package enum LinePart: Equatable, Sendable {
    /// A whole line.
    case line
    case batch(BatchPart)
    case snapshot(SnapshotTextPart)
}

/// Where the pieces of a batch's text begin, and which of its lists it begins and ends in.
package struct BatchPart: Equatable, Sendable {
    package var from: Revision
    package var to: Revision
    /// Whether its first stage continues the last stage before.
    package var isContinued: Bool
    /// Whether the batch goes on after it.
    package var hasMore: Bool
    var hasStages = false
    var hasSeveralStages = false
    var hasCounts = false
    /// The first list of the first stage; `nil` if that stage has none.
    var firstList: StageList?
    /// The last list of the last stage; `nil` if that stage has none.
    var lastList: StageList?
    /// Where the stages begin, in bytes of the text.
    var stagesOffset = 0
    /// Where the elements of the first list of the first stage begin. Without such a list, where
    /// that stage's lists would begin.
    var elementsOffset = 0
    /// Where the counts begin.
    var countsOffset = 0

    init(from: Revision, to: Revision, isContinued: Bool, hasMore: Bool) {
        self.from = from
        self.to = to
        self.isContinued = isContinued
        self.hasMore = hasMore
    }
}

/// How the text of a snapshot's part begins and ends. The text begins with the part's first section
/// or item: the room's name, which the line begins with, is not in the part.
package struct SnapshotTextPart: Equatable, Sendable {
    package var revision: Revision
    package var isFirst: Bool
    package var isLast: Bool
    /// Whether it begins within the last section before.
    var isContinued = false
    /// Whether a section begins in it.
    var hasSections = false
    /// Whether it begins with items of the last section before.
    var beginsWithItems = false
    /// Whether its last section has items in it.
    var endsWithItems = false

    init(revision: Revision, isFirst: Bool, isLast: Bool) {
        self.revision = revision
        self.isFirst = isFirst
        self.isLast = isLast
    }

    var isEmpty: Bool { !isContinued && !hasSections }
}

// MARK: - Bytes

/// Within one process, so no other version ever reads them.
extension LinePart {
    private enum Kind: UInt64 {
        case line, batch, snapshot
    }

    package func write(to writer: inout ByteWriter) {
        switch self {
        case .line: writer.write(varint: Kind.line.rawValue)
        case .batch(let part):
            writer.write(varint: Kind.batch.rawValue)
            writer.write(flags: [
                part.isContinued, part.hasMore, part.hasStages, part.hasSeveralStages,
                part.hasCounts,
            ])
            writer.write(varint: UInt64(part.firstList?.rawValue ?? 0))
            writer.write(varint: UInt64(part.lastList?.rawValue ?? 0))
            writer.write(varint: part.from)
            writer.write(varint: part.to)
            writer.write(varint: UInt64(part.stagesOffset))
            writer.write(varint: UInt64(part.elementsOffset))
            writer.write(varint: UInt64(part.countsOffset))
        case .snapshot(let part):
            writer.write(varint: Kind.snapshot.rawValue)
            writer.write(flags: [
                part.isFirst, part.isLast, part.isContinued, part.hasSections,
                part.beginsWithItems, part.endsWithItems,
            ])
            writer.write(varint: part.revision)
        }
    }

    /// Reads what ``write(to:)`` wrote; the text follows it.
    package init(reading reader: inout ByteReader) throws(ByteError) {
        switch Kind(rawValue: try reader.readVarint()) {
        case .line: self = .line
        case .batch:
            let flags = try reader.readVarint()
            let (first, last) = (try reader.readVarint(), try reader.readVarint())
            var part = BatchPart(
                from: try reader.readVarint(), to: try reader.readVarint(),
                isContinued: flags & 1 != 0, hasMore: flags & 2 != 0)
            part.hasStages = flags & 4 != 0
            part.hasSeveralStages = flags & 8 != 0
            part.hasCounts = flags & 16 != 0
            part.firstList = StageList(rawValue: UInt8(clamping: first))
            part.lastList = StageList(rawValue: UInt8(clamping: last))
            part.stagesOffset = Int(clamping: try reader.readVarint())
            part.elementsOffset = Int(clamping: try reader.readVarint())
            part.countsOffset = Int(clamping: try reader.readVarint())
            self = .batch(part)
        case .snapshot:
            let flags = try reader.readVarint()
            var part = SnapshotTextPart(
                revision: try reader.readVarint(), isFirst: flags & 1 != 0,
                isLast: flags & 2 != 0)
            part.isContinued = flags & 4 != 0
            part.hasSections = flags & 8 != 0
            part.beginsWithItems = flags & 16 != 0
            part.endsWithItems = flags & 32 != 0
            self = .snapshot(part)
        case nil: throw .badTag
        }
    }
}

extension ByteWriter {
    /// Writes flags as bits, the first one lowest.
    fileprivate mutating func write(flags: [Bool]) {
        write(
            varint: flags.indices.reduce(0) { bits, index in
                bits | (flags[index] ? 1 << UInt64(index) : 0)
            })
    }
}
