import SyncBytes
package import SyncModel

/// Makes the frames of a snapshot, part by part, so that a room of any size needs memory for one
/// part.
///
/// Sections and their items are appended in order. Before each of them the caller takes the part if
/// ``isPartFull``, so a part exceeds its size by one section or item at most. ``finish()`` returns
/// the last part.
package struct SnapshotEncoder: ~Copyable {
    private typealias Number = SnapshotPart.Number

    private let partBytes: Int
    private let firstPartBytes: Int
    private var head: SnapshotPart
    private var writer = ByteWriter(capacity: 4096)
    /// Where the current frame, part and piece begin.
    private var frame = 0
    private var part = 0
    private var piece: Int?
    private var hasSection = false

    /// - Parameter firstPartBytes: the size of the first part, if that is another one.
    package init(
        channel: Channel, revision: Revision, totalItems: UInt64,
        partBytes: Int = MessageEncoder.partBytes, firstPartBytes: Int? = nil
    ) {
        self.partBytes = partBytes
        self.firstPartBytes = min(firstPartBytes ?? partBytes, partBytes)
        head = SnapshotPart(
            channel: channel, revision: revision, pieces: [], isFirst: true, isLast: false,
            totalItems: totalItems)
        openPart()
    }

    /// Whether the part has its size and should be taken.
    package var isPartFull: Bool {
        writer.count >= (head.isFirst ? firstPartBytes : partBytes)
    }

    /// Adds a section; the items that follow belong to it.
    package mutating func append(_ section: ListSection) {
        closePiece()
        openPiece()
        hasSection = true
        writer.write(Number.pieceSection, section)
    }

    /// Adds an item to the last section.
    package mutating func append(_ item: Item) {
        precondition(hasSection, "an item stands in a section")
        if piece == nil { openPiece() }
        writer.write(Number.pieceItems, item)
    }

    /// Returns the current part and begins the next one.
    package mutating func takePart() -> EncodedFrame {
        let frame = closePart(isLast: false)
        head.isFirst = false
        openPart()
        return frame
    }

    /// The last part.
    package mutating func finish() -> EncodedFrame {
        closePart(isLast: true)
    }

    private mutating func openPart() {
        writer.reset()
        frame = writer.beginLengthDelimited()
        writer.write(tag: FrameNumber.snapshot, .lengthDelimited)
        part = writer.beginLengthDelimited()
        head.writeHead(to: &writer)
    }

    private mutating func closePart(isLast: Bool) -> EncodedFrame {
        closePiece()
        writer.write(Number.last, true: isLast)
        writer.endLengthDelimited(part)
        writer.endLengthDelimited(frame)
        return EncodedFrame(writer.bytes)
    }

    private mutating func openPiece() {
        writer.write(tag: Number.pieces, .lengthDelimited)
        piece = writer.beginLengthDelimited()
    }

    private mutating func closePiece() {
        guard let piece else { return }
        writer.endLengthDelimited(piece)
        self.piece = nil
    }
}
