import SyncBytes
import SyncEngine

/// Writes JSON, without spaces, into memory that it keeps: one writer serves for all lines, and a large
/// text is taken out of it piece by piece.
///
/// # Performance
/// Amortized O(n) for n bytes written.
package struct JSONWriter: ~Copyable {
    private var output = ByteWriter(capacity: 4096)
    /// Whether a value stands right before, so that a comma must follow before the next.
    private var needsComma = false

    package init() {}

    /// What has been written since the last reset. Valid until the next write or reset.
    package var bytes: UnsafeRawBufferPointer { output.bytes }

    /// How many bytes have been written since the last reset.
    package var count: Int { output.count }

    /// Forgets the bytes, keeping the memory and the place in the text.
    package mutating func reset() {
        output.reset()
    }

    /// Ends a line; the next begins a text of its own.
    package mutating func endLine() {
        output.write(byte: UInt8(ascii: "\n"))
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

    // MARK: Values

    mutating func writeNull() { write(literal: "null") }

    mutating func write(bool: Bool) { write(literal: bool ? "true" : "false") }

    mutating func write(integer: some BinaryInteger) { write(literal: String(integer)) }

    /// Writes the shortest text that reads back as this number, which must be finite; where it is an
    /// exact integer, without a fraction.
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
        separate()
        output.write(byte: UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { writeEscaped(UnsafeRawBufferPointer($0)) }
        output.write(byte: UInt8(ascii: "\""))
    }

    private mutating func writeEscaped(_ text: UnsafeRawBufferPointer) {
        var start = 0
        for index in text.indices {
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                continue
            }
            output.write(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
            writeEscape(of: byte)
            start = index + 1
        }
        output.write(contentsOf: UnsafeRawBufferPointer(rebasing: text[start...]))
    }

    private mutating func writeEscape(of byte: UInt8) {
        output.write(byte: UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.write(byte: UInt8(ascii: "b"))
        case 0x09: output.write(byte: UInt8(ascii: "t"))
        case 0x0A: output.write(byte: UInt8(ascii: "n"))
        case 0x0C: output.write(byte: UInt8(ascii: "f"))
        case 0x0D: output.write(byte: UInt8(ascii: "r"))
        case 0..<0x20:
            output.write(utf8Of: byte < 0x10 ? "u000" : "u00")
            output.write(utf8Of: String(byte, radix: 16))
        default: output.write(byte: byte)
        }
    }
}
