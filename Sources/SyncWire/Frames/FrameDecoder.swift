import SyncBytes

/// Cuts a stream of bytes into frames: bytes in, at most one frame out a call.
///
/// It owns the part of a frame that has come so far, if the frame did not come whole; a frame that
/// lies whole in the input is handed on where it lies.
///
/// Invariants:
/// 1. A length that is over the limit, or not in its shortest form, is refused with its last byte,
///    before anything of the frame is kept.
/// 2. The memory kept is at most twice what has come of the frame, and none between large frames.
///
/// Cost: nothing is copied of a frame that comes whole; of others each byte is, O(1) times.
package struct FrameDecoder: ~Copyable {
    private let maximumFrameBytes: Int
    /// The length's bytes that have come, as far as it is not whole.
    private var length = 0
    private var lengthBytes = 0
    /// What the frame under way will have, once its length is known.
    private var expected: Int?
    private var partial: UnsafeMutableRawBufferPointer?
    private var partialCount = 0

    /// A small frame has at most so many bytes.
    private static let smallBytes = 1024
    /// A buffer of at most this size is kept for the next frame.
    private static let keptBytes = 4096

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

    /// How many bytes of the frame under way have come.
    package var partialBytes: Int { partialCount }

    /// How much memory it has.
    package var memoryBytes: Int { partial?.count ?? 0 }

    /// Whether reading the next frame from `input` is little work: a plain frame of few bytes, or
    /// one that is not whole yet.
    package func isNextSmall(in input: UnsafeRawBufferPointer) -> Bool {
        var reader = ByteReader(input)
        var size = expected
        do throws(ByteError) {
            if size == nil {
                // A length that is cut is rare; it counts as a large one's.
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
            // It may be cut.
            return partialCount == 0
        }
        return tag.field != FrameNumber.deflated
    }

    /// Takes bytes from the front of `input` and gives the next frame; `nil` when all is taken and
    /// no frame is whole.
    ///
    /// - Returns: the bytes of a message `Frame`, valid until the next call and as long as `input`
    ///   is.
    /// - Throws: ``WireError/broken(_:_:)``; the stream can't be read on.
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
        keep(
            FrameDecoder.take(min(expected - partialCount, input.count), from: &input), of: expected
        )
        guard partialCount == expected, let partial else { return nil }
        self.expected = nil
        partialCount = 0
        return UnsafeRawBufferPointer(rebasing: partial[..<expected])
    }

    /// Takes a frame that came whole with a length of one byte, as most do.
    @inline(__always)
    private func takeShort(from input: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard lengthBytes == 0, let byte = input.first, byte < 0x80, byte < input.count,
            byte <= maximumFrameBytes
        else { return nil }
        let end = 1 + Int(byte)
        defer { input = UnsafeRawBufferPointer(rebasing: input[end...]) }
        return UnsafeRawBufferPointer(rebasing: input[1..<end])
    }

    /// Reads what there is of the length; whether it is whole now.
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

    /// Adds to the frame under way, growing with what has come rather than with what is promised.
    private mutating func keep(_ bytes: UnsafeRawBufferPointer, of expected: Int) {
        guard bytes.count > 0 else { return }
        let needed = partialCount + bytes.count
        if needed > partial?.count ?? 0 {
            partial = FrameDecoder.grow(partial, to: min(max(needed * 2, 256), max(expected, 256)))
        }
        guard let partial else { return }
        UnsafeMutableRawBufferPointer(rebasing: partial[partialCount...]).copyMemory(from: bytes)
        partialCount = needed
    }

    /// Makes a buffer larger. The system moves the pages of a large one: to copy them, and to get
    /// others for them, would take long where many connections send large frames.
    private static func grow(
        _ buffer: UnsafeMutableRawBufferPointer?, to size: Int
    ) -> UnsafeMutableRawBufferPointer {
        guard let memory = UnsafeMutableRawBufferPointer.grow(buffer, to: size) else {
            preconditionFailure("there is no memory for \(size) bytes of a frame")
        }
        return memory
    }

    private mutating func releaseLargeBuffer() {
        guard let buffer = partial, buffer.count > FrameDecoder.keptBytes else { return }
        buffer.release()
        partial = nil
    }
}
