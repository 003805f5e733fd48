/// The escapes in a text of JSON (RFC 8259, 7).
enum JSONEscapes {
    /// How many bytes the escape has that begins with a backslash; two halves of a surrogate pair
    /// are one. `nil` if there is none.
    static func byteCount(in text: UnsafeRawBufferPointer, at position: Int) -> Int? {
        guard position + 1 < text.count else { return nil }
        guard text[position + 1] == UInt8(ascii: "u") else {
            return character(named: text[position + 1]) == nil ? nil : 2
        }
        return scalar(in: text, at: position)?.byteCount
    }

    /// The bytes of a text that was checked, or of a key.
    static func bytes(of value: JSONValue, in text: UnsafeRawBufferPointer) -> [UInt8] {
        let escaped = value.bytes(in: text)
        if value.kind == .text { return Array(escaped) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(escaped.count)
        var position = 0
        while position < escaped.count {
            let byte = escaped[position]
            if byte != UInt8(ascii: "\\") {
                bytes.append(byte)
                position += 1
            } else if let (scalar, count) = scalar(in: escaped, at: position) {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                position += count
            } else {
                let name = position + 1 < escaped.count ? escaped[position + 1] : byte
                bytes.append(character(named: name) ?? name)
                position += 2
            }
        }
        return bytes
    }

    /// The character that a letter or a mark stands for behind a backslash.
    private static func character(named name: UInt8) -> UInt8? {
        switch name {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): name
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// The character that an escape with digits, or a pair of them, stands for.
    private static func scalar(
        in text: UnsafeRawBufferPointer, at position: Int
    ) -> (scalar: Unicode.Scalar, byteCount: Int)? {
        guard let first = codeUnit(in: text, at: position) else { return nil }
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        guard UTF16.isLeadSurrogate(first), let second = codeUnit(in: text, at: position + 6),
            UTF16.isTrailSurrogate(second)
        else { return nil }
        let number = 0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00
        return Unicode.Scalar(number).map { ($0, 12) }
    }

    private static func codeUnit(in text: UnsafeRawBufferPointer, at position: Int) -> UInt16? {
        guard position + 6 <= text.count, text[position] == UInt8(ascii: "\\"),
            text[position + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for byte in text[(position + 2)..<(position + 6)] {
            guard let digit = digit(byte) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    private static func digit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
