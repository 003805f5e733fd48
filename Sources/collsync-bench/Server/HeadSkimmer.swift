/// How a stream is cut into frames.
protocol FrameCut {
    /// How many bytes of a frame are its head; a smaller frame is all head.
    static var headBytes: Int { get }
    /// The most bytes that stand before a head.
    static var prefixBytes: Int { get }

    /// Measures the frame at the start of some bytes.
    ///
    /// - Returns: where its head begins, and how many bytes the frame has from there; `nil` if more
    ///   bytes are needed to tell.
    static func measure(_ bytes: UnsafeRawBufferPointer) throws -> (offset: Int, count: Int)?
}

/// The frames of the protocol, behind their lengths.
enum ProtocolCut: FrameCut {
    static let headBytes = 48
    static let prefixBytes = 4

    static func measure(_ bytes: UnsafeRawBufferPointer) -> (offset: Int, count: Int)? {
        var (offset, count) = (0, 0)
        repeat {
            guard offset < bytes.count else { return nil }
            count |= Int(bytes[offset] & 0x7F) << (7 * offset)
            offset += 1
        } while bytes[offset - 1] >= 0x80 && offset < prefixBytes
        return (offset, count)
    }
}

typealias FrameSkimmer = HeadSkimmer<ProtocolCut>

/// Follows a stream of frames by the first bytes of each, and skips the rest.
struct HeadSkimmer<Cut: FrameCut> {
    static var headBytes: Int { Cut.headBytes }
    /// The length of a head with the longest prefix.
    private static var stashBytes: Int { Cut.headBytes + Cut.prefixBytes }

    /// How many bytes of the current frame are still to be skipped.
    private var left = 0
    /// The beginning of a frame whose head is not complete yet.
    private var stash: [UInt8] = []

    init() {
        stash.reserveCapacity(Self.stashBytes)
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
                guard let head = try Self.head(of: rest) else {
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
        stash.append(contentsOf: rest.prefix(Self.stashBytes - former))
        var used: Int?
        try stash.withUnsafeBytes { bytes in
            guard let head = try Self.head(of: bytes) else { return }
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
    private static func head(of bytes: UnsafeRawBufferPointer) throws -> Head? {
        guard let (offset, count) = try Cut.measure(bytes) else { return nil }
        let end = offset + min(count, headBytes)
        guard end <= bytes.count else { return nil }
        return Head(
            offset: offset, frameCount: count,
            bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
    }
}
