import CZlib
package import SyncBytes

/// A part of a body that is compressed for itself. It fits into any body of gzip, at any place, so
/// one compression serves all bodies that have the part.
package struct GzipPiece: Equatable, Sendable {
    /// Blocks of DEFLATE (RFC 1951) that end with a whole byte, and refer to nothing before them.
    package var blocks: SharedBytes
    /// How many bytes of text they are made of.
    package var textBytes: Int
    /// The text's CRC-32.
    package var checksum: UInt32

    package init(blocks: SharedBytes, textBytes: Int, checksum: UInt32) {
        (self.blocks, self.textBytes, self.checksum) = (blocks, textBytes, checksum)
    }
}

/// A short text that stays as it is, for any body of gzip, at any place.
package struct GzipBlock: Sendable {
    let bytes: SharedBytes

    /// A block has at most so many bytes of text.
    static let mostTextBytes = 0xFFFF
    private static let headBytes = 5

    /// - Parameter text: its first 65,535 bytes count.
    package init(_ text: [UInt8]) {
        let text = text.prefix(GzipBlock.mostTextBytes)
        bytes = SharedBytes(GzipBlock.head(ofTextWith: UInt16(text.count)) + text)
    }

    var text: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.bytes[GzipBlock.headBytes...])
    }

    /// It is not the last block, and stored; then come the length and its complement.
    static func head(ofTextWith count: UInt16) -> [UInt8] {
        [0, count.low, count.high, (~count).low, (~count).high]
    }
}

/// A body of gzip (RFC 1952) that is put together of pieces, and of text that stays as it is. It
/// keeps nothing of them.
package struct GzipBody: Sendable {
    private var checksum: UInt32 = 0
    private var textBytes: UInt32 = 0

    /// What a body begins with: the method is DEFLATE, and nothing is said of a file, of a time or
    /// of a system.
    package static let beginning = SharedBytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])

    package init() {}

    /// Adds a piece.
    ///
    /// - Returns: what follows of the body.
    package mutating func add(_ piece: GzipPiece) -> SharedBytes {
        checksum = UInt32(
            truncatingIfNeeded: crc32_combine(
                UInt(checksum), UInt(piece.checksum), piece.textBytes))
        textBytes &+= UInt32(truncatingIfNeeded: piece.textBytes)
        return piece.blocks
    }

    /// Adds text as it is.
    ///
    /// - Returns: what follows of the body: the text, and what stands between its blocks.
    package mutating func add(_ text: SharedBytes) -> [SharedBytes] {
        note(text.bytes)
        var parts: [SharedBytes] = []
        var start = 0
        while start < text.count {
            let end = min(text.count, start + GzipBlock.mostTextBytes)
            parts.append(SharedBytes(GzipBlock.head(ofTextWith: UInt16(end - start))))
            parts.append(SharedBytes(partOf: text, start..<end))
            start = end
        }
        return parts
    }

    /// Adds a block.
    ///
    /// - Returns: what follows of the body.
    package mutating func add(_ block: GzipBlock) -> SharedBytes {
        note(block.text)
        return block.bytes
    }

    private mutating func note(_ text: UnsafeRawBufferPointer) {
        checksum = GzipBody.checksum(of: text, after: checksum)
        textBytes &+= UInt32(truncatingIfNeeded: text.count)
    }

    /// What ends the body: a last block without text, the checksum, and the length.
    package var end: SharedBytes {
        var bytes: [UInt8] = [3, 0]
        for number in [checksum, textBytes] {
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        return SharedBytes(bytes)
    }

    static func checksum(of text: UnsafeRawBufferPointer, after before: UInt32 = 0) -> UInt32 {
        UInt32(
            truncatingIfNeeded: crc32(
                UInt(before), text.assumingMemoryBound(to: UInt8.self).baseAddress,
                UInt32(clamping: text.count)))
    }
}

extension UInt16 {
    fileprivate var low: UInt8 { UInt8(truncatingIfNeeded: self) }
    fileprivate var high: UInt8 { UInt8(truncatingIfNeeded: self >> 8) }
}
