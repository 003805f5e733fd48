import SyncBytes

/// A text to search items for: some bytes of UTF-8, of which A to Z equal a to z.
package struct SearchText: Sendable, Hashable {
    package let text: String

    /// The most bytes of UTF-8 that it may have.
    package static let mostBytes = 256

    /// - Returns: `nil` if the text is empty or too long.
    package init?(_ text: String) {
        guard (1...SearchText.mostBytes).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// - Returns: `nil` if the bytes, which may be anything, are not such a text.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard let text = ForeignText(bytes, atMost: SearchText.mostBytes), !text.isEmpty else {
            return nil
        }
        self.text = text.shown
    }

    // Strings are equal if they show the same glyphs, but a search compares bytes.

    package static func == (left: SearchText, right: SearchText) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        text.withBytes { hasher.combine(bytes: $0) }
    }
}

/// Finds a text in the fields of items, by the algorithm of Knuth, Morris and Pratt.
///
/// # Performance
/// O(n) for n bytes of content, whatever the text and the content are.
package struct TextMatcher: Sendable {
    /// The text in lower case.
    private let pattern: [UInt8]
    /// For each number of matched bytes: how many of them still match when the next byte does not.
    private let fallbacks: [Int]

    package init(_ text: SearchText) {
        pattern = text.text.utf8.map { TextMatcher.folded($0) }
        var fallbacks = [0, 0]
        for byte in pattern.dropFirst() {
            var matched = fallbacks[fallbacks.count - 1]
            while matched > 0, pattern[matched] != byte { matched = fallbacks[matched] }
            fallbacks.append(pattern[matched] == byte ? matched + 1 : 0)
        }
        self.fallbacks = fallbacks
    }

    @inline(__always)
    private static func folded(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// Whether a field of an item is a text that contains the pattern.
    ///
    /// - Parameter content: canonical bytes, see ``ItemContent``.
    package func matches(_ content: UnsafeRawBufferPointer) -> Bool {
        var reader = ByteReader(content)
        // Canonical bytes always parse.
        while let field = try? ValueCoding.part(ItemContent.Number.fields, of: &reader) {
            var parts = ByteReader(field)
            guard let value = try? ValueCoding.part(2, of: &parts) else { continue }
            var kinds = ByteReader(value)
            guard let text = try? ValueCoding.part(ValueCoding.Kind.text, of: &kinds) else {
                continue
            }
            if isIn(text) { return true }
        }
        return false
    }

    private func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        pattern.withUnsafeBufferPointer { pattern in
            fallbacks.withUnsafeBufferPointer { fallbacks in
                var matched = 0
                for byte in bytes {
                    let byte = TextMatcher.folded(byte)
                    while matched > 0, pattern[matched] != byte { matched = fallbacks[matched] }
                    if pattern[matched] == byte { matched += 1 }
                    if matched == pattern.count { return true }
                }
                return false
            }
        }
    }
}
