import SyncBytes

/// Cuts a stream of bytes into frames: each call returns at most one.
///
/// It buffers the received part of an incomplete frame. A frame that is whole in the input is
/// returned in place.
///
/// Invariants:
/// 1. A length that is over the limit, or not in its shortest form, is refused before any byte of
///    the frame is buffered.
/// 2. The buffer is at most twice as large as the received part, or 256 bytes. After a large frame
///    it is released.
///
/// Cost: a frame that comes whole is not copied; each byte of others is copied O(1) times.
package struct FrameDecoder: ~Copyable {
    private let maximumFrameBytes: Int
    /// The received part of an incomplete length, and its number of bytes.
    private var length = 0
    private var lengthBytes = 0
    /// The length of the current frame, once it is known.
    private var expected: Int?
    private var partial: UnsafeMutableRawBufferPointer?
    private var partialCount = 0

    /// The most bytes of a frame that counts as small.
    private static let smallBytes = 1024
    /// A buffer of at most this size is reused for the next frame.
    private static let reusedBytes = 4096

    package init(maximumFrameBytes: Int = WireLimits().frameBytes) {
        precondition(
            (1...WireLimits.maximumFrameBytes).contains(maximumFrameBytes),
            "a frame's length has at most four bytes")
        self.maximumFrameBytes = maximumFrameBytes
    }

    deinit {
        partial?.release()
    }

    /// Whether the input so far ends between frames.
    package var isAtBoundary: Bool { lengthBytes == 0 && expected == nil }

    /// How many bytes of the current frame are buffered.
    package var partialBytes: Int { partialCount }

    /// The bytes of memory that it uses.
    package var memoryBytes: Int { partial?.count ?? 0 }

    /// Whether reading the next frame from `input` is little work: a plain frame of few bytes, or
    /// one that is not whole yet.
    package func isNextSmall(in input: UnsafeRawBufferPointer) -> Bool {
        var reader = ByteReader(input)
        var size = expected
        do throws(ByteError) {
            if size == nil {
                // A length that is split between inputs is rare; its frame counts as large.
                guard lengthBytes == 0 else { return false }
                size = Int(clamping: try reader.readVarint())
            }
        } catch {
            return true
        }
        guard let size, size - partialCount <= reader.count else { return true }
        guard size <= FrameDecoder.smallBytes else { return false }
        var start = reader.rest
        if let partial, partialCount > 0 {
            start = UnsafeRawBufferPointer(rebasing: partial[..<partialCount])
        }
        var frame = ByteReader(start)
        guard let tag = try? frame.readTag() else {
            // After a partial frame the tag may be split between the buffer and the input.
            return partialCount == 0
        }
        return tag.field != FrameNumber.deflated
    }

    /// Removes bytes from the front of `input` and returns the next frame; `nil` if `input` is
    /// empty and no frame is complete.
    ///
    /// - Returns: the bytes of a message `Frame`, valid until the next call and as long as `input`
    ///   is.
    /// - Throws: ``WireError/broken(_:_:)``; the stream can't be read any further.
    package mutating func next(
        _ input: inout UnsafeRawBufferPointer
    ) throws(WireError) -> UnsafeRawBufferPointer? {
        if expected == nil {
            releaseLargeBuffer()
            if let frame = takeShort(from: &input) { return frame }
            guard try readLength(&input) else { return nil }
        }
        guard let expected else { return nil }
        if partialCount == 0, input.count >= expected {
            self.expected = nil
            return FrameDecoder.take(expected, from: &input)
        }
        buffer(
            FrameDecoder.take(min(expected - partialCount, input.count), from: &input), of: expected
        )
        guard partialCount == expected, let partial else { return nil }
        self.expected = nil
        partialCount = 0
        return UnsafeRawBufferPointer(rebasing: partial[..<expected])
    }

    /// Returns a frame that came whole with a length of one byte, as most do.
    @inline(__always)
    private func takeShort(from input: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard lengthBytes == 0, let byte = input.first, byte < 0x80, byte < input.count,
            byte <= maximumFrameBytes
        else { return nil }
        let end = 1 + Int(byte)
        defer { input = UnsafeRawBufferPointer(rebasing: input[end...]) }
        return UnsafeRawBufferPointer(rebasing: input[1..<end])
    }

    /// Reads the available bytes of the length, and returns whether it is complete now.
    private mutating func readLength(
        _ input: inout UnsafeRawBufferPointer
    ) throws(WireError) -> Bool {
        while let byte = input.first {
            input = UnsafeRawBufferPointer(rebasing: input.dropFirst())
            length |= Int(byte & 0x7F) << (7 * lengthBytes)
            lengthBytes += 1
            if byte == 0, lengthBytes > 1 {
                throw .broken(.badFrame, "a frame's length is not in its shortest form")
            }
            let isTooLong = length > maximumFrameBytes || (byte >= 0x80 && lengthBytes == 4)
            guard !isTooLong else {
                throw .broken(
                    .frameTooLarge, "a frame has more than \(maximumFrameBytes) bytes")
            }
            guard byte >= 0x80 else {
                expected = length
                length = 0
                lengthBytes = 0
                return true
            }
        }
        return false
    }

    private static func take(
        _ count: Int, from input: inout UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let taken = UnsafeRawBufferPointer(rebasing: input[..<count])
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        return taken
    }

    /// Adds to the buffer, which grows with the received bytes and not with the announced length.
    private mutating func buffer(_ bytes: UnsafeRawBufferPointer, of expected: Int) {
        guard bytes.count > 0 else { return }
        let needed = partialCount + bytes.count
        if needed > partial?.count ?? 0 {
            partial = FrameDecoder.grow(partial, to: min(max(needed * 2, 256), max(expected, 256)))
        }
        guard let partial else { return }
        UnsafeMutableRawBufferPointer(rebasing: partial[partialCount...]).copyMemory(from: bytes)
        partialCount = needed
    }

    /// Makes a buffer larger. The system moves the pages of a large one. Copying into new pages
    /// takes long if many connections send large frames.
    private static func grow(
        _ buffer: UnsafeMutableRawBufferPointer?, to size: Int
    ) -> UnsafeMutableRawBufferPointer {
        guard let memory = UnsafeMutableRawBufferPointer.grow(buffer, to: size) else {
            preconditionFailure("there is no memory for \(size) bytes of a frame")
        }
        return memory
    }

    private mutating func releaseLargeBuffer() {
        guard let buffer = partial, buffer.count > FrameDecoder.reusedBytes else { return }
        buffer.release()
        partial = nil
    }
}
