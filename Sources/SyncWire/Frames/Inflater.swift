import CZlib

/// Inflates deflated frames, which may be damaged or hostile. One serves a loop. Bytes that were
/// deflated without the dictionary never refer to it, so they inflate to the same with it.
///
/// It owns the memory for the result, which grows as needed, up to the limit.
package final class Inflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool
    private var output: UnsafeMutableRawBufferPointer
    /// How many bytes the last call produced, even if it failed.
    private(set) var lastCount = 0

    package init() {
        output = .allocate(byteCount: 16 << 10, alignment: 8)
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(
            stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        isReady = status == Z_OK
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Inflates `bytes`.
    ///
    /// - Parameter maximumBytes: the most that they may inflate to. Inflating stops there.
    /// - Returns: the result, valid until the next call.
    /// - Throws: ``WireError/broken(_:_:)`` if `bytes` are incomplete, have more than one stream,
    ///   or inflate to more than the limit.
    package func inflate(
        _ bytes: UnsafeRawBufferPointer, atMost maximumBytes: Int
    ) throws(WireError) -> UnsafeRawBufferPointer {
        lastCount = 0
        guard isReady, inflateReset(stream) == Z_OK, WireDictionary.setForInflating(on: stream),
            let input = UInt32(exactly: bytes.count)
        else {
            throw .broken(.badFrame, "the frame can't be inflated")
        }
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = input
        var count = 0
        while true {
            // One byte more than the limit shows that there is more than the limit.
            let room = min(output.count, maximumBytes + 1) - count
            stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress?
                .advanced(by: count)
            stream.pointee.avail_out = UInt32(clamping: room)
            let status = CZlib.inflate(stream, Z_NO_FLUSH)
            count += room - Int(stream.pointee.avail_out)
            lastCount = count
            guard count <= maximumBytes else {
                throw .broken(
                    .frameTooLarge, "the frame inflates to more than \(maximumBytes) bytes")
            }
            if status == Z_STREAM_END { break }
            guard status == Z_OK || status == Z_BUF_ERROR, count == output.count else {
                throw .broken(.badFrame, "the frame's deflated body is damaged or not whole")
            }
            grow(keeping: count, atMost: maximumBytes + 1)
        }
        guard stream.pointee.avail_in == 0 else {
            throw .broken(.badFrame, "bytes follow the frame's deflated body")
        }
        return UnsafeRawBufferPointer(rebasing: output[..<count])
    }

    private func grow(keeping count: Int, atMost limit: Int) {
        let size = max(output.count, min(output.count * 2, limit))
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: output[..<count]))
        output.deallocate()
        output = larger
    }
}
