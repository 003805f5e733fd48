extension String {
    /// Makes text of bytes that may be anything; `nil` if they are not UTF-8.
    ///
    /// It uses the standard library's repairing initializer. If the result has the same bytes,
    /// nothing was repaired. That initializer is not generic, and several times as fast as the
    /// validating one.
    package init?(utf8 bytes: UnsafeRawBufferPointer) {
        var text = String(decoding: bytes, as: UTF8.self)
        let isSame = text.withUTF8 { UnsafeRawBufferPointer($0).hasSameBytes(as: bytes) }
        guard isSame else { return nil }
        self = text
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes are UTF-8.
    package var isUTF8: Bool { isPrintableASCII || String(utf8: self) != nil }

    /// Whether all bytes are from the space to the tilde.
    ///
    /// # Performance
    /// Eight bytes at a time.
    package var isPrintableASCII: Bool {
        guard count >= 8 else { return allSatisfy { (0x20..<0x7F).contains($0) } }
        let last = count - 8
        var at = 0
        while at < last {
            guard isPrintable(word(at)) else { return false }
            at += 8
        }
        // The last eight may overlap those before.
        return isPrintable(word(last))
    }

    private func word(_ offset: Int) -> UInt64 {
        loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    private func isPrintable(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        // For a byte below 0x20, or 0x7F, the high bit gets set in `controls` or `deletes`. The
        // high bits of `word` itself rule out all other bytes.
        let controls = word &- (ones &* 0x20)
        let deletes = (word ^ (ones &* 0x7F)) &- ones
        return (word | controls | deletes) & highs == 0
    }
}
