package import SyncBytes

/// One frame as bytes to send, length included: plain and, once someone wants it so, deflated. It
/// serves every receiver on the loop that made it.
package final class EncodedFrame {
    /// The frame as it is.
    package let plain: SharedBytes
    /// Where in ``plain`` the message `Frame` begins.
    private let bodyOffset: Int
    private var deflated: SharedBytes?

    /// Takes a frame with its length in front.
    init(plain: SharedBytes, bodyCount: Int) {
        self.plain = plain
        bodyOffset = plain.count - bodyCount
    }

    /// The bytes for a receiver.
    ///
    /// - Parameter deflater: the loop's; `nil` for a receiver that can't inflate.
    /// - Returns: the deflated frame if it is smaller, else the plain one.
    package func bytes(deflatedBy deflater: Deflater?) -> SharedBytes {
        guard let deflater, plain.count >= deflater.thresholdBytes else { return plain }
        if let deflated { return deflated }
        let made = makeDeflated(deflater) ?? plain
        deflated = made
        return made
    }

    /// How many bytes ``bytes(deflatedBy:)`` has to deflate.
    package func bytesToDeflate(by deflater: Deflater?) -> Int {
        guard let deflater, deflated == nil, plain.count >= deflater.thresholdBytes else {
            return 0
        }
        return plain.count
    }

    /// How many bytes it takes.
    ///
    /// - Parameter isDeflated: whether somebody reads it deflated; a copy that is not made yet counts as much as the
    ///   plain bytes.
    package func byteCount(deflated isDeflated: Bool) -> Int {
        guard let deflated else { return isDeflated ? 2 * plain.count : plain.count }
        return deflated === plain ? plain.count : plain.count + deflated.count
    }

    /// The frame as the answer to a request: a head of its own with the request's number, and a body that all
    /// answers share. The message must be a part of a snapshot, a batch or a list; what it says itself of
    /// whom it is for does not count.
    package func parts(
        answering request: RequestID, deflatedBy deflater: Deflater?
    ) -> [SharedBytes] {
        let whole = bytes(deflatedBy: deflater)
        // The length is a varint, so its last byte is the first one below 0x80.
        let lengthCount = (whole.bytes.firstIndex { $0 < 0x80 } ?? 0) + 1
        let body = SharedBytes(endOf: whole, from: lengthCount)
        let tag = UInt64(FrameNumber.request) << 3 | UInt64(WireType.varint.rawValue)
        var head = ByteWriter(capacity: 24)
        head.write(
            varint: UInt64(
                ByteWriter.varintSize(tag) + ByteWriter.varintSize(UInt64(request)) + body.count))
        head.write(varint: tag)
        head.write(varint: UInt64(request))
        return [SharedBytes(copying: head.bytes), body]
    }

    private func makeDeflated(_ deflater: Deflater) -> SharedBytes? {
        let body = UnsafeRawBufferPointer(rebasing: plain.bytes[bodyOffset...])
        return withUnsafeTemporaryAllocation(byteCount: body.count, alignment: 8) { memory in
            guard let count = deflater.deflate(body, into: memory) else { return nil }
            var head = ByteWriter(capacity: 16)
            let tag = UInt64(FrameNumber.deflated) << 3 | UInt64(WireType.lengthDelimited.rawValue)
            let inner =
                ByteWriter.varintSize(tag) + ByteWriter.varintSize(UInt64(count)) + count
            head.write(varint: UInt64(inner))
            head.write(varint: tag)
            head.write(varint: UInt64(count))
            guard head.count + count < plain.count else { return nil }
            return SharedBytes(count: head.count + count) { whole in
                whole.copyMemory(from: head.bytes)
                UnsafeMutableRawBufferPointer(rebasing: whole[head.count...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
            }
        }
    }
}
