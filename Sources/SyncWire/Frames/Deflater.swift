import CZlib

/// Deflates one frame after the other, each for itself, with the protocol's dictionary. One serves a
/// loop; it allocates only when it is made.
package final class Deflater {
    /// Frames of fewer bytes are sent as they are.
    package let thresholdBytes: Int
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    /// Fast rather than thorough: a frame is deflated once, but on the way to everyone.
    private static let level: Int32 = 2
    private static let memoryLevel: Int32 = 7

    package init(thresholdBytes: Int = 256) {
        self.thresholdBytes = thresholdBytes
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, Deflater.level, Z_DEFLATED, -MAX_WBITS, Deflater.memoryLevel,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        isReady = status == Z_OK
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The deflated form of `bytes` at the start of `output`, if it fits there.
    ///
    /// - Returns: its length, or `nil`.
    package func deflate(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard isReady, deflateReset(stream) == Z_OK, WireDictionary.set(on: stream),
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
}
