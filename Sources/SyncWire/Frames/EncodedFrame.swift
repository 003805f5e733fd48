package import SyncBytes

/// One frame as bytes to send, length included: plain and, on demand, in other encodings. All
/// receivers on the loop that made it share it.
package final class EncodedFrame {
    /// The frame as it was packed.
    package let plain: SharedBytes
    /// Where in ``plain`` the message `Frame` begins.
    private let bodyOffset: Int
    /// Where in ``plain`` the part begins that other encodings rewrite. The bytes between the two
    /// offsets say for whom the frame is.
    private let messageOffset: Int
    /// The encodings that were made. If an encoding is not worth using, its bytes are the plain
    /// frame.
    private var others: [(encoding: FrameEncoding, bytes: SharedBytes)] = []

    /// Makes a frame of its bytes, with the length in front.
    ///
    /// - Parameter headCount: how many bytes at the body's start say for whom it is.
    init(plain: SharedBytes, bodyCount: Int, headCount: Int = 0) {
        self.plain = plain
        bodyOffset = plain.count - bodyCount
        messageOffset = bodyOffset + headCount
    }

    /// The bytes for a receiver.
    ///
    /// - Parameter encoder: the loop's or the job's; `nil` for the plain form.
    package func bytes(by encoder: (any FrameEncoder)?) -> SharedBytes {
        guard let encoder, plain.count >= encoder.thresholdBytes else { return plain }
        let encoding = encoder.encoding
        if let known = made(encoding) { return known }
        let message = UnsafeRawBufferPointer(rebasing: plain.bytes[messageOffset...])
        let head = UnsafeRawBufferPointer(rebasing: plain.bytes[bodyOffset..<messageOffset])
        let bytes = encoder.encode(message).map { $0.addressed(by: head) } ?? plain
        others.append((encoding, bytes))
        return bytes
    }

    /// How many bytes ``bytes(by:)`` has to encode, as many as deflating would make of the work.
    package func bytesToEncode(by encoder: (any FrameEncoder)?) -> Int {
        guard let encoder, plain.count >= encoder.thresholdBytes, made(encoder.encoding) == nil
        else { return 0 }
        return encoder.frameCost + encoder.byteCost * plain.count
    }

    /// How many bytes of memory it takes.
    ///
    /// - Parameter encodings: those that receivers use beside the plain one. One that is not made
    ///   yet counts with the most that it may take.
    package func byteCount(in encodings: [FrameEncoding]) -> Int {
        var bytes = plain.count
        for encoding in encodings {
            if let known = made(encoding) {
                bytes += known === plain ? 0 : known.count
            } else {
                bytes += encoding.growth * plain.count
            }
        }
        return bytes
    }

    private func made(_ encoding: FrameEncoding) -> SharedBytes? {
        for other in others where other.encoding == encoding { return other.bytes }
        return nil
    }
}

extension Sequence<EncodedFrame> {
    /// Makes all frames in some encodings, for later receivers.
    package func encode(in encodings: [FrameEncoding]) {
        for encoder in encodings.lazy.compactMap({ $0.makeEncoder() }) {
            for frame in self { _ = frame.bytes(by: encoder) }
        }
    }
}

extension SharedBytes {
    /// A frame as the answer to a request: a head of its own with the request's number, and a body
    /// that all answers share. The message must be a part of a snapshot, a batch, a list or items.
    /// The head overrides the receiver that the message names.
    package func parts(answering request: RequestID) -> [SharedBytes] {
        let body = SharedBytes(endOf: self, from: lengthCount)
        let tag = UInt64(FrameNumber.request) << 3 | UInt64(WireType.varint.rawValue)
        var head = ByteWriter(capacity: 24)
        head.write(
            varint: UInt64(
                ByteWriter.varintSize(tag) + ByteWriter.varintSize(UInt64(request)) + body.count))
        head.write(varint: tag)
        head.write(varint: UInt64(request))
        return [SharedBytes(copying: head.bytes), body]
    }

    /// This frame with a head before its message that says for whom it is.
    fileprivate func addressed(by head: UnsafeRawBufferPointer) -> SharedBytes {
        if head.isEmpty { return self }
        let message = UnsafeRawBufferPointer(rebasing: bytes[lengthCount...])
        var start = ByteWriter(capacity: 32)
        start.write(varint: UInt64(head.count + message.count))
        start.write(contentsOf: head)
        return SharedBytes(count: start.count + message.count) { whole in
            whole.copyMemory(from: start.bytes)
            UnsafeMutableRawBufferPointer(rebasing: whole[start.count...]).copyMemory(from: message)
        }
    }

    /// How many bytes a frame's length takes: it is a varint, so its last byte is the first one
    /// below 0x80.
    private var lengthCount: Int { (bytes.firstIndex { $0 < 0x80 } ?? 0) + 1 }
}
