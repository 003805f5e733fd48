import CZlib
import SyncBytes

/// Compresses pieces of bodies, one after the other. It allocates only when it is made.
package final class GzipPacker {
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    /// Speed counts more than size, as all who get a piece wait for it.
    private static let level: Int32 = 2
    private static let memoryLevel: Int32 = 7

    package init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, GzipPacker.level, Z_DEFLATED, -MAX_WBITS, GzipPacker.memoryLevel,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        isReady = status == Z_OK
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses a text. It costs some 10 ns a byte.
    ///
    /// - Returns: `nil` if that is not shorter than the text.
    package func pack(_ text: UnsafeRawBufferPointer) -> GzipPiece? {
        guard isReady, deflateReset(stream) == Z_OK, let count = UInt32(exactly: text.count) else {
            return nil
        }
        return withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 8) { memory in
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: text.assumingMemoryBound(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = count
            stream.pointee.next_out = memory.assumingMemoryBound(to: UInt8.self).baseAddress
            stream.pointee.avail_out = count
            // A flush that has filled all of its room may have more to come.
            guard deflate(stream, Z_SYNC_FLUSH) == Z_OK, stream.pointee.avail_out > 0,
                stream.pointee.avail_in == 0
            else { return nil }
            let blocks = memory[..<(text.count - Int(stream.pointee.avail_out))]
            return GzipPiece(
                blocks: SharedBytes(copying: UnsafeRawBufferPointer(rebasing: blocks)),
                textBytes: text.count, checksum: GzipBody.checksum(of: text))
        }
    }
}
