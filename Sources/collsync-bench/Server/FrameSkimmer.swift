/// Follows a stream of frames by the first bytes of each, and skips the rest.
///
/// A frame's head is its first bytes after the length: all of a small frame, ``headBytes`` of
/// others.
struct FrameSkimmer {
    static let headBytes = 48
    /// The length of a head with the longest length before it.
    private static let stashBytes = headBytes + 4

    /// How many bytes of the current frame are still to be skipped.
    private var left = 0
    /// The beginning of a frame whose head is not complete yet.
    private var stash: [UInt8] = []

    init() {
        stash.reserveCapacity(FrameSkimmer.stashBytes)
    }

    /// Whether the bytes so far are whole frames.
    var isAtBoundary: Bool { left == 0 && stash.isEmpty }

    /// Reads bytes, and calls `body` with each head that is complete.
    mutating func skim(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var rest = bytes
        while !rest.isEmpty {
            if left > 0 {
                let passed = min(left, rest.count)
                left -= passed
                rest = UnsafeRawBufferPointer(rebasing: rest[passed...])
            } else if stash.isEmpty {
                guard let head = FrameSkimmer.head(of: rest) else {
                    stash.append(contentsOf: rest)
                    return
                }
                left = head.frameCount - head.bytes.count
                try body(head.bytes)
                rest = UnsafeRawBufferPointer(rebasing: rest[(head.offset + head.bytes.count)...])
            } else {
                try fillStash(&rest, body)
            }
        }
    }

    /// Adds to the beginning of a frame until its head is complete.
    private mutating func fillStash(
        _ rest: inout UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let former = stash.count
        stash.append(contentsOf: rest.prefix(FrameSkimmer.stashBytes - former))
        var used: Int?
        try stash.withUnsafeBytes { bytes in
            guard let head = FrameSkimmer.head(of: bytes) else { return }
            used = head.offset + head.bytes.count
            left = head.frameCount - head.bytes.count
            try body(head.bytes)
        }
        guard let used else {
            rest = UnsafeRawBufferPointer(rebasing: rest[(stash.count - former)...])
            return
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[(used - former)...])
        stash.removeAll(keepingCapacity: true)
    }

    private struct Head {
        /// Its offset in the input.
        var offset: Int
        var frameCount: Int
        var bytes: UnsafeRawBufferPointer
    }

    /// The head at the start of `bytes`; `nil` if it is not complete.
    private static func head(of bytes: UnsafeRawBufferPointer) -> Head? {
        var frameCount = 0
        var offset = 0
        repeat {
            guard offset < bytes.count else { return nil }
            frameCount |= Int(bytes[offset] & 0x7F) << (7 * offset)
            offset += 1
        } while bytes[offset - 1] >= 0x80 && offset < 4
        let end = offset + min(frameCount, headBytes)
        guard end <= bytes.count else { return nil }
        return Head(
            offset: offset, frameCount: frameCount,
            bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
    }
}
