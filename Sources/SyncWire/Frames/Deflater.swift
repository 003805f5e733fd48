import CZlib
package import SyncBytes

/// Deflates one frame after the other, each for itself, with the protocol's dictionary or without.
/// One serves a loop; it allocates only when it is made.
package final class Deflater: FrameEncoder {
    package let thresholdBytes: Int
    private let hasDictionary: Bool
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    /// Speed counts more than size: a frame is deflated once, but all its receivers wait for that.
    private static let level: Int32 = 2
    private static let memoryLevel: Int32 = 7

    package init(thresholdBytes: Int = 256, hasDictionary: Bool = true) {
        self.thresholdBytes = thresholdBytes
        self.hasDictionary = hasDictionary
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, Deflater.level, Z_DEFLATED, -MAX_WBITS, Deflater.memoryLevel,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        isReady = status == Z_OK
    }

    package var encoding: FrameEncoding { hasDictionary ? .deflated : .plainDeflated }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Deflates `bytes` to the start of `output`.
    ///
    /// - Returns: the deflated length; `nil` if it does not fit there.
    package func deflate(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard isReady, deflateReset(stream) == Z_OK,
            !hasDictionary || WireDictionary.set(on: stream),
            let input = UInt32(exactly: bytes.count), let room = UInt32(exactly: output.count)
        else { return nil }
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = input
        stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
        stream.pointee.avail_out = room
        guard CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END else { return nil }
        return output.count - Int(stream.pointee.avail_out)
    }

    /// A frame with the deflated message, if that is smaller.
    package func encode(_ body: UnsafeRawBufferPointer) -> SharedBytes? {
        withUnsafeTemporaryAllocation(byteCount: body.count, alignment: 8) { memory in
            guard let count = deflate(body, into: memory) else { return nil }
            var head = ByteWriter(capacity: 16)
            let tag = UInt64(FrameNumber.deflated) << 3 | UInt64(WireType.lengthDelimited.rawValue)
            let inner =
                ByteWriter.varintSize(tag) + ByteWriter.varintSize(UInt64(count)) + count
            head.write(varint: UInt64(inner))
            head.write(varint: tag)
            head.write(varint: UInt64(count))
            let plainCount = ByteWriter.varintSize(UInt64(body.count)) + body.count
            guard head.count + count < plainCount else { return nil }
            return SharedBytes(count: head.count + count) { whole in
                whole.copyMemory(from: head.bytes)
                UnsafeMutableRawBufferPointer(rebasing: whole[head.count...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
            }
        }
    }
}
