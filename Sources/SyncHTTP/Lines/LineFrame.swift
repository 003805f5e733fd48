import SyncBytes
import SyncHTTPCodec
package import SyncJSON
import SyncWire

/// A frame whose field is the text of a message, as ``LineEncoder`` writes it: its form, how the
/// text begins and ends, and the text.
package struct LineFrame: Equatable, Sendable {
    /// How the text is written.
    enum Form: Equatable, Sendable {
        case plain
        /// As a piece of gzip (``GzipPiece``).
        case compressed(textBytes: Int, checksum: UInt32)
    }

    var form: Form
    package var part: LinePart
    /// Where the text begins in the bytes that it was read from; it ends with the frame.
    package var textOffset: Int

    /// Reads the body of a frame, without its length.
    ///
    /// - Parameter offset: where the body begins in the bytes that offsets refer to.
    /// - Returns: `nil` if it is another frame. Text that answers a request is one, too: the field
    ///   with the request stands before the text.
    package init?(_ body: UnsafeRawBufferPointer, at offset: Int = 0) {
        var reader = ByteReader(body)
        do throws(ByteError) {
            guard var tag = try reader.readTag() else { return nil }
            if tag.field == FrameNumber.request {
                try reader.skip(tag.type)
                guard let next = try reader.readTag() else { return nil }
                tag = next
            }
            guard tag.field == FrameNumber.json, tag.type == .lengthDelimited else { return nil }
            let field = try reader.readLengthDelimited()
            guard reader.isAtEnd else { return nil }
            var content = ByteReader(field)
            form = try Form(reading: &content)
            part = try LinePart(reading: &content)
            textOffset = offset + body.count - content.count
        } catch {
            return nil
        }
    }
}

extension LineFrame.Form {
    init(_ piece: GzipPiece) {
        self = .compressed(textBytes: piece.textBytes, checksum: piece.checksum)
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .plain: writer.write(varint: 0)
        case .compressed(let textBytes, let checksum):
            writer.write(varint: UInt64(textBytes))
            writer.write(varint: UInt64(checksum))
        }
    }

    /// Only texts of some length are compressed.
    init(reading reader: inout ByteReader) throws(ByteError) {
        let textBytes = Int(clamping: try reader.readVarint())
        self =
            textBytes == 0
            ? .plain
            : .compressed(
                textBytes: textBytes,
                checksum: UInt32(truncatingIfNeeded: try reader.readVarint()))
    }
}
