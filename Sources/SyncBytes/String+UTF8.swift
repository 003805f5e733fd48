import Glibc

extension String {
    /// Makes text of bytes that may be anything; nothing, if they are not UTF-8.
    ///
    /// It takes the library's repairing initializer, whose result is the bytes themselves exactly when
    /// they need no repair: that one is not generic, and several times as fast as the validating one.
    package init?(utf8 bytes: UnsafeRawBufferPointer) {
        var text = String(decoding: bytes, as: UTF8.self)
        let isSame = text.withUTF8 { utf8 in
            utf8.count == bytes.count && UnsafeRawBufferPointer(utf8).holdsSame(as: bytes)
        }
        guard isSame else { return nil }
        self = text
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes are the same as as many others.
    fileprivate func holdsSame(as others: UnsafeRawBufferPointer) -> Bool {
        guard let base = baseAddress, let other = others.baseAddress else { return true }
        return memcmp(base, other, count) == 0
    }

    /// Whether these bytes are UTF-8.
    package var isUTF8: Bool { isPrintableASCII || String(utf8: self) != nil }

    /// Whether all bytes are from the space to the tilde.
    ///
    /// # Performance
    /// Eight bytes at a time.
    package var isPrintableASCII: Bool {
        var at = 0
        while at + 8 <= count {
            guard isPrintable(loadUnaligned(fromByteOffset: at, as: UInt64.self)) else {
                return false
            }
            at += 8
        }
        while at < count {
            guard (0x20..<0x7F).contains(self[at]) else { return false }
            at += 1
        }
        return true
    }

    private func isPrintable(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        // A byte's high bit becomes set here where the byte is below 0x20, or 0x7F; the high bits of
        // `word` itself are ruled out first.
        let controls = word &- (ones &* 0x20)
        let deletes = (word ^ (ones &* 0x7F)) &- ones
        return (word | controls | deletes) & highs == 0
    }
}
