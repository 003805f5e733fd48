import CZlib
import SyncBytes

/// zlib's compression of memory at hand.
enum Deflate {
    /// Compresses at the fastest level, because the store writes often and reads rarely.
    ///
    /// - Parameter isWorthIt: if false, the bytes are only put into zlib's format, which takes
    ///   hardly any time.
    static func compress(_ bytes: UnsafeRawBufferPointer, isWorthIt: Bool) -> SharedBytes {
        let source = bytes.bindMemory(to: UInt8.self).baseAddress
        let bound = mostBytes(of: bytes.count)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bound) { target in
            var length = UInt(bound)
            let result = compress2(
                target.baseAddress, &length, source, UInt(bytes.count),
                isWorthIt ? Z_BEST_SPEED : Z_NO_COMPRESSION)
            precondition(result == Z_OK, "zlib compresses whatever it gets into its own bound")
            return SharedBytes(
                copying: UnsafeRawBufferPointer(start: target.baseAddress, count: Int(length)))
        }
    }

    /// The most bytes that so many have when they are compressed.
    static func mostBytes(of count: Int) -> Int { Int(compressBound(UInt(count))) }

    /// Decompresses bytes into `target`.
    ///
    /// - Returns: whether the bytes are undamaged and fill it exactly.
    static func decompress(
        _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        var length = UInt(target.count)
        let result = uncompress(
            target.bindMemory(to: UInt8.self).baseAddress, &length,
            bytes.bindMemory(to: UInt8.self).baseAddress, UInt(bytes.count))
        return result == Z_OK && length == UInt(target.count)
    }
}
