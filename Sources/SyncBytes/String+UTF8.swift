extension String {
    /// Makes text of bytes that may be anything; `nil` if they are not UTF-8.
    ///
    /// It uses the standard library's repairing initializer. If the result has the same bytes,
    /// nothing was repaired. That initializer is not generic, and several times as fast as the
    /// validating one.
    package init?(utf8 bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.withBytes({ $0.hasSameBytes(as: bytes) }) else { return nil }
        self = text
    }

    /// Lends the bytes of UTF-8.
    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // `withUTF8` would need a copy of the text, which is retained and released.
        let result = utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
        return result ?? withCopiedBytes(body)
    }

    /// Does so for a text that is not stored as UTF-8. No text of Swift on Linux is such a one.
    @usableFromInline @inline(never)
    func withCopiedBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = self
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
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
        guard count >= 8 else { return isShortPrintableASCII }
        let last = count - 8
        var at = 0
        while at < last {
            guard isPrintable(word(at)) else { return false }
            at += 8
        }
        // The last eight may overlap those before.
        return isPrintable(word(last))
    }

    /// The same, of fewer than eight.
    private var isShortPrintableASCII: Bool {
        guard count >= 4 else { return allSatisfy { (0x20..<0x7F).contains($0) } }
        // Two halves, which may overlap.
        let first = loadUnaligned(as: UInt32.self)
        let last = loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
        return isPrintable(UInt64(first) << 32 | UInt64(last))
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
