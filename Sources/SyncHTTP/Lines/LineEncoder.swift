package import SyncBytes
import SyncHTTPCodec
import SyncJSON
import SyncModel
package import SyncWire

extension FrameEncoding {
    /// Messages as JSON text, for members that get lines. It never leaves the process.
    ///
    /// Everything that is the same for all receivers is text, made once for all of them. What
    /// depends on the receiver stays plain, and so does a message whose text is longer than the
    /// stated growth: ``LineMember`` turns these into text, for itself only.
    package static let json = FrameEncoding(number: 3, growth: LineEncoder.growth) { LineEncoder() }
    /// The same, with batches compressed, for members whose lines are a body of gzip.
    package static let gzipJSON = FrameEncoding(number: 4, growth: LineEncoder.growth) {
        LineEncoder(compresses: true)
    }
}

/// Turns frames into frames whose only field is the text of the message, see ``LineFrame``.
///
/// Frames of all rooms pass through the same encoder, so it remembers nothing of a frame.
package final class LineEncoder: FrameEncoder {
    /// The most bytes that a text may have for each byte of the plain frame. Most have less than
    /// five. Only content without any text in it has more than these.
    static let growth = 16
    /// A writer of more bytes frees them.
    private static let retainedBytes = 1 << 20

    package let thresholdBytes = 0
    // A byte takes 3 to 17 ns, most in texts of control characters. Deflating one costs some 10 ns.
    // A text that is compressed has five times the bytes.
    package let frameCost: Int
    package let byteCost: Int
    package let encoding: FrameEncoding
    private var writer = JSONWriter()
    private var head = ByteWriter(capacity: 64)
    private let packer: GzipPacker?

    /// Shorter texts hardly get shorter.
    private static let leastPackedBytes = 192

    /// - Parameter compresses: whether it compresses batches.
    package init(compresses: Bool = false) {
        encoding = compresses ? .gzipJSON : .json
        (frameCost, byteCost) = compresses ? (256, 8) : (64, 2)
        packer = compresses ? GzipPacker() : nil
    }

    package func encode(_ body: UnsafeRawBufferPointer) -> SharedBytes? {
        var reader = ByteReader(body)
        guard let (number, _) = try? reader.readTag(), LineText.isShared(number),
            let bytes = try? reader.readLengthDelimited(),
            let message = try? ServerMessage(number, bytes),
            let part = LineText.write(message, to: &writer)
        else { return nil }
        defer { if writer.count > LineEncoder.retainedBytes { writer = JSONWriter() } }
        return frame(of: part, atMost: LineEncoder.growth * body.count)
    }

    private func frame(of part: LinePart, atMost limit: Int) -> SharedBytes? {
        let piece = packer.flatMap { packer in
            part.isWholeBatch && writer.count >= LineEncoder.leastPackedBytes
                ? packer.pack(writer.bytes) : nil
        }
        guard let piece else { return frame(.plain, part, writer.bytes, atMost: limit) }
        return piece.blocks.withBytes { frame(LineFrame.Form(piece), part, $0, atMost: limit) }
    }

    private func frame(
        _ form: LineFrame.Form, _ part: LinePart, _ text: UnsafeRawBufferPointer, atMost limit: Int
    ) -> SharedBytes? {
        head.reset()
        form.write(to: &head)
        part.write(to: &head)
        let partCount = head.count
        let fieldCount = UInt64(partCount + text.count)
        let tag = UInt64(FrameNumber.json) << 3 | UInt64(WireType.lengthDelimited.rawValue)
        let bodyCount =
            ByteWriter.varintSize(tag) + ByteWriter.varintSize(fieldCount) + Int(fieldCount)
        guard bodyCount <= limit else { return nil }
        head.write(varint: UInt64(bodyCount))
        head.write(varint: tag)
        head.write(varint: fieldCount)
        let lengths = head.bytes[partCount...]
        return SharedBytes(count: lengths.count + Int(fieldCount)) { whole in
            whole.copyMemory(from: UnsafeRawBufferPointer(rebasing: lengths))
            let afterLengths = UnsafeMutableRawBufferPointer(rebasing: whole[lengths.count...])
            afterLengths.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: head.bytes[..<partCount]))
            UnsafeMutableRawBufferPointer(rebasing: afterLengths[partCount...])
                .copyMemory(from: text)
        }
    }
}

extension LinePart {
    /// Whether it is a batch that comes in one part: its text is its line.
    fileprivate var isWholeBatch: Bool {
        if case .batch(let part) = self { !part.isContinued && !part.hasMore } else { false }
    }
}

/// The texts of messages that are the same for all receivers.
enum LineText {
    /// Whether a message of that field of `Frame` may have such a text.
    static func isShared(_ number: Int) -> Bool {
        switch number {
        case FrameNumber.batch, FrameNumber.snapshot, FrameNumber.authors,
            FrameNumber.presenceUpdate, FrameNumber.nearLimit:
            true
        default: false
        }
    }

    /// Writes the text of a message, as a new text.
    ///
    /// - Returns: `nil` if the text depends on the receiver.
    static func write(_ message: ServerMessage, to writer: inout JSONWriter) -> LinePart? {
        switch message {
        case .batch(let message):
            return .batch(
                writer.write(
                    part: message.batch, isContinued: message.isContinued,
                    hasMore: message.hasMore))
        case .snapshot(let part):
            var made = writer.beginSnapshotPart(
                revision: part.revision, isFirst: part.isFirst, isLast: part.isLast)
            for piece in part.pieces {
                writer.write(section: piece.section, items: piece.items, to: &made)
            }
            writer.end(part: made)
            return .snapshot(made)
        case .authors(let authors):
            return line(.authors(authors.transactionAuthors), in: &writer)
        case .presenceUpdate(let update):
            return line(.presence(PresenceLine(update)), in: &writer)
        case .nearLimit(let near): return line(.nearLimit(near.use), in: &writer)
        default: return nil
        }
    }

    private static func line(_ line: ServerLine, in writer: inout JSONWriter) -> LinePart {
        writer.startOver()
        writer.write(line)
        return .line
    }
}

extension PresenceLine {
    init(_ update: PresenceUpdate) {
        self.init(
            client: update.client?.text ?? "", user: update.user, name: update.displayName,
            selected: update.state.selected, highlighted: update.state.highlighted,
            custom: update.state.custom?.value, dragged: update.dragged, left: update.left)
    }
}
