import SyncBytes
import SyncModel

/// Writes JSON without spaces. It reuses its memory, so one writer can write all lines. A caller
/// can take large texts out of it piece by piece.
///
/// # Performance
/// Amortized O(n) for n bytes written.
package struct JSONWriter: ~Copyable {
    private var output: ByteWriter
    /// Whether the next value needs a comma before it.
    private var needsComma = false

    /// - Parameter capacity: for how many bytes it has memory at first.
    package init(capacity: Int = 4096) {
        output = ByteWriter(capacity: capacity)
    }

    /// What has been written since the last reset. Valid until the next write or reset.
    package var bytes: UnsafeRawBufferPointer { output.bytes }

    /// How many bytes have been written since the last reset.
    package var count: Int { output.count }

    /// Discards the bytes, but keeps the memory and the place in the text.
    package mutating func reset() {
        output.reset()
    }

    /// Ends a line; the next line is a new text.
    package mutating func endLine() {
        output.write(byte: UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Has the next value come without a comma: it begins a text.
    mutating func dropSeparator() {
        needsComma = false
    }

    // MARK: Structure

    mutating func beginObject() { begin(UInt8(ascii: "{")) }
    mutating func endObject() { end(UInt8(ascii: "}")) }
    mutating func beginList() { begin(UInt8(ascii: "[")) }
    mutating func endList() { end(UInt8(ascii: "]")) }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        output.write(byte: bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        output.write(byte: bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { output.write(byte: UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Writes a key that needs no escapes.
    mutating func key(_ key: StaticString) {
        separate()
        output.write(byte: UInt8(ascii: "\""))
        output.write(
            contentsOf: UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        output.write(byte: UInt8(ascii: "\""))
        output.write(byte: UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes any key.
    mutating func key(text: String) {
        write(text: text)
        output.write(byte: UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes any key, from its UTF-8.
    mutating func key(utf8 key: UnsafeRawBufferPointer) {
        write(utf8: key)
        output.write(byte: UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    mutating func writeNull() { write(literal: "null") }

    mutating func write(bool: Bool) { write(literal: bool ? "true" : "false") }

    mutating func write(integer: some BinaryInteger) {
        guard let magnitude = UInt64(exactly: integer) else {
            return write(literal: String(integer))
        }
        separate()
        write(digitsOf: magnitude)
    }

    /// Writes digits without making a `String`: batches are mostly indices.
    private mutating func write(digitsOf number: UInt64) {
        let most = 20
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most) { digits in
            var (rest, start) = (number, most)
            repeat {
                let (tens, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = tens
            } while rest > 0
            output.write(
                contentsOf: UnsafeRawBufferPointer(
                    rebasing: UnsafeRawBufferPointer(digits)[start..<most]))
        }
    }

    /// Writes a number, which must be finite, with the fewest digits that read back as the same
    /// number. An integer within ±2^53 has no fraction. Other numbers from 0.0001 up to 2^53 have a
    /// point, all others an exponent.
    mutating func write(number: Double) {
        precondition(number.isFinite, "a model holds only finite numbers")
        if Value.exactIntegers.contains(number), let integer = Int64(exactly: number) {
            write(integer: integer)
        } else {
            write(literal: number.description)
        }
    }

    private mutating func write(literal: String) {
        separate()
        output.write(utf8Of: literal)
    }

    mutating func write(text: String) {
        text.withBytes { write(utf8: $0) }
    }

    /// Writes a text, from its UTF-8.
    mutating func write(utf8 text: UnsafeRawBufferPointer) {
        separate()
        output.write(byte: UInt8(ascii: "\""))
        writeEscaped(text)
        output.write(byte: UInt8(ascii: "\""))
    }

    private mutating func writeEscaped(_ text: UnsafeRawBufferPointer) {
        var start = 0
        var index = 0
        while index < text.count {
            let byte = text[index]
            let length =
                switch byte {
                case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: 1
                case 0xC2, 0xD8, 0xE2: JSONWriter.lengthOfEscaped(text, at: index)
                default: 0
                }
            guard length > 0 else {
                index += 1
                continue
            }
            output.write(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
            if length == 1 {
                writeEscape(of: byte)
            } else {
                writeEscape(ofScalar: text[index..<(index + length)])
            }
            index += length
            start = index
        }
        output.write(contentsOf: UnsafeRawBufferPointer(rebasing: text[start...]))
    }

    /// The length of a character beyond ASCII that must be escaped; 0 for any other. A terminal
    /// could read it as a command, or as the direction of the following text: U+0080 to U+009F,
    /// U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
    private static func lengthOfEscaped(_ text: UnsafeRawBufferPointer, at index: Int) -> Int {
        func byte(_ offset: Int) -> UInt8 {
            index + offset < text.count ? text[index + offset] : 0
        }
        switch (text[index], byte(1), byte(2)) {
        case (0xC2, 0x80...0x9F, _), (0xD8, 0x9C, _): return 2
        case (0xE2, 0x80, 0x8E...0x8F), (0xE2, 0x80, 0xA8...0xAE), (0xE2, 0x81, 0xA6...0xA9):
            return 3
        default: return 0
        }
    }

    /// Writes the escape of a character of two or three bytes.
    private mutating func writeEscape(ofScalar bytes: Slice<UnsafeRawBufferPointer>) {
        let first = UInt32(bytes.first ?? 0) & (bytes.count == 2 ? 0x1F : 0x0F)
        writeEscape(of: bytes.dropFirst().reduce(first) { $0 << 6 | UInt32($1 & 0x3F) })
    }

    private mutating func writeEscape(of scalar: UInt32) {
        output.write(byte: UInt8(ascii: "\\"))
        output.write(byte: UInt8(ascii: "u"))
        for shift: UInt32 in [12, 8, 4, 0] {
            let digit = UInt8(truncatingIfNeeded: (scalar >> shift) & 0xF)
            output.write(byte: digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
        }
    }

    private mutating func writeEscape(of byte: UInt8) {
        let letter: UInt8
        switch byte {
        case 0x08: letter = UInt8(ascii: "b")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x0A: letter = UInt8(ascii: "n")
        case 0x0C: letter = UInt8(ascii: "f")
        case 0x0D: letter = UInt8(ascii: "r")
        case 0..<0x20, 0x7F: return writeEscape(of: UInt32(byte))
        default: letter = byte
        }
        output.write(byte: UInt8(ascii: "\\"))
        output.write(byte: letter)
    }
}
