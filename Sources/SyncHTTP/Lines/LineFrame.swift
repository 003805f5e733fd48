import SyncBytes
package import SyncJSON
import SyncWire

/// A frame whose field is the text of a message, as ``LineEncoder`` writes it: how the text begins
/// and ends, and the text.
package struct LineFrame: Equatable, Sendable {
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
            part = try LinePart(reading: &content)
            textOffset = offset + body.count - content.count
        } catch {
            return nil
        }
    }
}
