import CZlib
package import SyncBytes

/// Compresses a body by gzip (RFC 1952), a piece at a time. It costs some 20 ns a byte.
///
/// One thread after the other may use it.
package final class GzipEncoder: @unchecked Sendable {
    /// Bytes of its memory: the window, and the tables of what was in it.
    package static let memoryBytes = 96 << 10
    private static let level: Int32 = 3
    private static let windowBits: Int32 = 13
    private static let memoryLevel: Int32 = 6
    /// Makes zlib write the head and the end of gzip.
    private static let gzip: Int32 = 16

    private let stream: UnsafeMutablePointer<z_stream>

    /// Returns `nil` if there is no memory for it.
    package init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, GzipEncoder.level, Z_DEFLATED, GzipEncoder.windowBits + GzipEncoder.gzip,
            GzipEncoder.memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses what follows of the body. What comes of it may come with a later piece.
    package func encode(_ parts: [SharedBytes], isLast: Bool) -> [UInt8] {
        var output: [UInt8] = []
        for part in parts { encode(part.bytes, Z_NO_FLUSH, to: &output) }
        if isLast { encode(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH, to: &output) }
        return output
    }

    private func encode(
        _ bytes: UnsafeRawBufferPointer, _ flush: Int32, to output: inout [UInt8]
    ) {
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(clamping: bytes.count)
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { room in
            repeat {
                stream.pointee.next_out = room.assumingMemoryBound(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                // It can't fail: the state is whole, and there is always room.
                _ = deflate(stream, flush)
                output += room[..<(room.count - Int(stream.pointee.avail_out))]
            } while stream.pointee.avail_out == 0
        }
    }
}
